"""A random Llama of a few thousand weights with a byte-level tokenizer, for tests of generation."""

from __future__ import annotations

import json
from pathlib import Path

CONTEXT = 128
END, END_OF_TURN, PAD = "<end>", "<turn>", "<pad>"


def save_tiny_model(folder: Path, *, seed: int = 0, end_bias: float = 0.0, chat: bool = False) -> Path:
    """Save a model to a folder.

    Its generation config samples at temperature 0.7, so that a test notices where greedy decoding is not asked for,
    and names two tokens that end an answer.

    Args:
        folder: Where to.
        seed: Seed of the weights.
        end_bias: How much more likely than random both end tokens are.
        chat: Whether the tokenizer has a chat template.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([PAD, END, END_OF_TURN, *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END, pad_token=PAD, additional_special_tokens=[END_OF_TURN]
    )
    if chat:
        fast.chat_template = "{% for message in messages %}[{{ message.content }}]{% endfor %}"
    fast.save_pretrained(folder)

    torch.manual_seed(seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(vocabulary),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=CONTEXT,
            eos_token_id=vocabulary[END],
            pad_token_id=vocabulary[PAD],
            bos_token_id=None,
            initializer_range=0.6,
        )
    )
    with torch.no_grad():
        model.lm_head.weight[vocabulary[END]] *= 1 + end_bias
        model.lm_head.weight[vocabulary[END_OF_TURN]] *= 1 + end_bias
    model.generation_config = GenerationConfig(
        do_sample=True,
        temperature=0.7,
        eos_token_id=[vocabulary[END], vocabulary[END_OF_TURN]],
        pad_token_id=vocabulary[PAD],
    )
    model.save_pretrained(folder)
    assert json.loads((folder / "generation_config.json").read_text())["do_sample"] is True
    return folder
