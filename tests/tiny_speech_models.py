"""Tiny random speech models, as folders that transformers loads: Whisper, Moonshine, wav2vec 2.0 with CTC, VITS."""

from __future__ import annotations

import json
from pathlib import Path

SPECIAL = ("<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|zh|>", "<|es|>", "<|ar|>", "<|translate|>")
SPECIAL += ("<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>")
LANGUAGE_TOKENS = {"eng": "<|en|>", "zho": "<|zh|>", "spa": "<|es|>", "ara": "<|ar|>"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def save_tiny_whisper(folder: Path, *, is_multilingual: bool = True, seed: int = 0) -> Path:
    """Save a Whisper of one layer that hears 30 s and writes letters; at most 24 tokens at once."""
    import torch
    from transformers import (
        GenerationConfig,
        WhisperConfig,
        WhisperFeatureExtractor,
        WhisperForConditionalGeneration,
        WhisperTokenizer,
    )

    stamps = [f"<|{step * 0.02:.2f}|>" for step in range(1501)]
    vocabulary = {token: index for index, token in enumerate(LETTERS)}
    tokenizer = WhisperTokenizer(vocab=vocabulary, merges=[])
    tokenizer.add_special_tokens({"additional_special_tokens": list(SPECIAL)})
    tokenizer.add_tokens(stamps)
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in (*SPECIAL, stamps[0])}
    torch.manual_seed(seed)
    model = WhisperForConditionalGeneration(
        WhisperConfig(
            vocab_size=len(tokenizer),
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=16,
            decoder_ffn_dim=16,
            max_target_positions=24,
            decoder_start_token_id=ids["<|startoftranscript|>"],
            bos_token_id=ids["<|endoftext|>"],
            eos_token_id=ids["<|endoftext|>"],
            pad_token_id=ids["<|endoftext|>"],
            init_std=0.7,
        )
    )
    languages = {
        "lang_to_id": {token: ids[token] for token in LANGUAGE_TOKENS.values()},
        "task_to_id": {"transcribe": ids["<|transcribe|>"], "translate": ids["<|translate|>"]},
    }
    model.generation_config = GenerationConfig(
        decoder_start_token_id=ids["<|startoftranscript|>"],
        bos_token_id=ids["<|endoftext|>"],
        eos_token_id=ids["<|endoftext|>"],
        pad_token_id=ids["<|endoftext|>"],
        max_length=24,
        is_multilingual=is_multilingual,
        no_timestamps_token_id=ids["<|notimestamps|>"],
        max_initial_timestamp_index=50,
        suppress_tokens=[ids[token] for token in SPECIAL[1:]],
        begin_suppress_tokens=[ids["<|endoftext|>"]],
        **(languages if is_multilingual else {}),
    )
    with torch.no_grad():
        embeddings = model.model.decoder.embed_tokens.weight  # tied to the output
        embeddings[: len(LETTERS)] *= 3
        embeddings[ids["<|endoftext|>"]] = 0
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    WhisperFeatureExtractor().save_pretrained(folder)
    return folder


def save_tiny_ctc(folder: Path, *, norm: str = "layer", seed: int = 0) -> Path:
    """Save a wav2vec 2.0 of one layer; with ``norm="group"`` one that was trained without an attention mask."""
    import torch
    from transformers import Wav2Vec2Config, Wav2Vec2CTCTokenizer, Wav2Vec2FeatureExtractor, Wav2Vec2ForCTC

    folder.mkdir(parents=True, exist_ok=True)
    tokens = ("<pad>", "<s>", "</s>", "<unk>", "|", *LETTERS)
    (folder / "vocab.json").write_text(json.dumps({token: index for index, token in enumerate(tokens)}))
    torch.manual_seed(seed)
    model = Wav2Vec2ForCTC(
        Wav2Vec2Config(
            vocab_size=len(tokens),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            conv_dim=(16,) * 7,
            conv_bias=norm == "layer",
            feat_extract_norm=norm,
            do_stable_layer_norm=norm == "layer",
            num_conv_pos_embeddings=16,
            num_conv_pos_embedding_groups=2,
            initializer_range=0.5,
            pad_token_id=0,
        )
    )
    model.save_pretrained(folder)
    Wav2Vec2CTCTokenizer(str(folder / "vocab.json")).save_pretrained(folder)
    Wav2Vec2FeatureExtractor(return_attention_mask=norm == "layer").save_pretrained(folder)
    return folder


def save_tiny_moonshine(folder: Path, *, seed: int = 0) -> Path:
    """Save a Moonshine of one layer: a speech-seq2seq model that hears samples; it writes 12 letters at once."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import (
        GenerationConfig,
        MoonshineConfig,
        MoonshineForConditionalGeneration,
        PreTrainedTokenizerFast,
        Wav2Vec2FeatureExtractor,
    )

    tokens = ("<unk>", "<s>", "</s>", *LETTERS)
    words = Tokenizer(models.WordLevel({token: index for index, token in enumerate(tokens)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    words.decoder = decoders.Fuse()
    torch.manual_seed(seed)
    model = MoonshineForConditionalGeneration(
        MoonshineConfig(
            vocab_size=len(tokens),
            hidden_size=16,
            intermediate_size=16,
            encoder_num_hidden_layers=1,
            decoder_num_hidden_layers=1,
            encoder_num_attention_heads=2,
            decoder_num_attention_heads=2,
            initializer_range=0.7,
        )
    )
    model.generation_config = GenerationConfig(
        decoder_start_token_id=1, bos_token_id=1, eos_token_id=2, pad_token_id=2, min_new_tokens=12, max_new_tokens=12
    )
    model.save_pretrained(folder)
    special = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    PreTrainedTokenizerFast(tokenizer_object=words, **special).save_pretrained(folder)
    Wav2Vec2FeatureExtractor(return_attention_mask=True, do_normalize=False).save_pretrained(folder)
    return folder


def save_tiny_vits(folder: Path, *, seed: int = 0) -> Path:
    """Save a VITS of one layer that speaks Latin letters with a voice of noise."""
    import torch
    from transformers import VitsConfig, VitsModel, VitsTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    tokens = ("_", " ", *LETTERS, "<unk>")
    (folder / "vocab.json").write_text(json.dumps({token: index for index, token in enumerate(tokens)}))
    torch.manual_seed(seed)
    model = VitsModel(
        VitsConfig(
            vocab_size=len(tokens),
            hidden_size=16,
            num_hidden_layers=1,
            ffn_dim=16,
            flow_size=16,
            spectrogram_bins=17,
            upsample_initial_channel=32,
            duration_predictor_filter_channels=16,
            prior_encoder_num_flows=1,
            prior_encoder_num_wavenet_layers=1,
            posterior_encoder_num_wavenet_layers=1,
            pad_token_id=0,
        )
    )
    model.save_pretrained(folder)
    VitsTokenizer(str(folder / "vocab.json"), pad_token="_", phonemize=False).save_pretrained(folder)
    return folder
