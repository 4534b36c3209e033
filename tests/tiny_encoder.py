"""A random XLM-R of a few thousand weights with a tokenizer of characters, for tests of classifiers."""

from __future__ import annotations

from pathlib import Path

BEGIN, PAD, END, UNKNOWN = "<s>", "<pad>", "</s>", "<unk>"
LONGEST = 256


def save_tiny_encoder(folder: Path, *, seed: int = 0) -> Path:
    """Save an encoder without a classification head to a folder.

    Args:
        folder: Where to.
        seed: Seed of the weights.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([BEGIN, PAD, END, UNKNOWN, *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A {END}", special_tokens=[(BEGIN, vocabulary[BEGIN]), (END, vocabulary[END])]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=BEGIN,
        pad_token=PAD,
        eos_token=END,
        unk_token=UNKNOWN,
        cls_token=BEGIN,
        sep_token=END,
        model_max_length=LONGEST,
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    XLMRobertaModel(
        XLMRobertaConfig(
            vocab_size=len(vocabulary),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=LONGEST + 2,
            pad_token_id=vocabulary[PAD],
            bos_token_id=vocabulary[BEGIN],
            eos_token_id=vocabulary[END],
        )
    ).save_pretrained(folder)
    return folder
