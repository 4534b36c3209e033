"""A random CLAP of a few thousand weights that hears windows of 1 s, for tests of speech retrieval."""

from __future__ import annotations

from pathlib import Path

from tests.tiny_encoder import save_tiny_encoder

SAMPLE_RATE = 48_000
LONGEST_TEXT = 77


def save_tiny_clap(folder: Path, *, seed: int = 0, fusion: bool = False) -> Path:
    """Save a model with its processor to a folder.

    Args:
        folder: Where to.
        seed: Seed of the weights.
        fusion: Whether it is of the kind that fuses crops of long sounds.
    """
    import torch
    from transformers import AutoTokenizer, ClapConfig, ClapFeatureExtractor, ClapModel, ClapProcessor

    tokenizer = AutoTokenizer.from_pretrained(save_tiny_encoder(folder / "text"), model_max_length=LONGEST_TEXT)
    extractor = ClapFeatureExtractor(
        feature_size=16,
        sampling_rate=SAMPLE_RATE,
        hop_length=SAMPLE_RATE // 20,
        max_length_s=1,
        truncation="fusion" if fusion else "rand_trunc",
    )
    ClapProcessor(extractor, tokenizer).save_pretrained(folder)
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "max_position_embeddings": LONGEST_TEXT + 2,
        "pad_token_id": tokenizer.pad_token_id,
        "projection_dim": 16,
    }
    audio = {
        "image_size": 64,
        "spec_size": 64,
        "num_mel_bins": 16,
        "window_size": 4,
        "patch_size": 2,
        "patch_stride": [2, 2],
        "patch_embeds_hidden_size": 8,
        "hidden_size": 16,
        "depths": [1, 1],
        "num_attention_heads": [2, 2],
        "num_hidden_layers": 2,
        "projection_dim": 16,
        "enable_fusion": fusion,
        "fusion_type": "aff_2d" if fusion else None,
    }
    torch.manual_seed(seed)
    config = ClapConfig(text_config=text, audio_config=audio, projection_dim=16)
    ClapModel(config).save_pretrained(folder)
    return folder
