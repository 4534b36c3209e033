"""Make the Croissant metadata that the Hub would generate for a data set, from its card and its Parquet files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hub.card import Card
from hub.footers import Footers

REPO = "repo"
"""Id of the file object that stands for the Hub's repository; key of mlcroissant's ``mapping``."""
MAX_CONFIGS = 100
"""Configs that the Hub describes."""
CONFORMS_TO = "http://mlcommons.org/croissant/1.1"

_VALUE_TYPES = {
    **dict.fromkeys(("string", "large_string", "binary"), "sc:Text"),
    "bool": "sc:Boolean",
    **dict.fromkeys(("date32", "date64", "time32", "time64", "timestamp[ns]"), "sc:Date"),
    **{f"int{bits}": f"cr:Int{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"cr:UInt{bits}" for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"cr:Float{bits}" for bits in (16, 32, 64)},
}
_CROISSANT_TERMS = (
    *(
        "arrayShape",
        "citeAs",
        "column",
        "containedIn",
        "dataBiases",
        "dataCollection",
        "extract",
        "field",
        "fileProperty",
    ),
    *("fileObject", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5"),
    *("parentField", "path", "personalSensitiveInformation", "recordSet", "references", "regex", "repeated"),
    *("replace", "separator", "source", "subField", "transform"),
)
_NOT_IN_IDS = re.compile(r"[^a-zA-Z0-9\-_.]")
_PLAIN_KEY = re.compile(r"[a-zA-Z0-9_]+")


def croissant_of(card: Card, footers: Footers, repo_id: str) -> dict[str, Any]:
    """Return the JSON-LD that the Hub would generate.

    The form is that of dataset-viewer (worker, dataset/croissant_crumbs.py at 0086d31; libcommon, croissant_utils.py
    at 1447997): a file object for the repository, a file set for the Parquet files of each of the first 100 configs,
    two record sets for each (``<config>_splits`` and ``<config>``). A column of a type without a Croissant type is
    left out and named in the description; Audio is one. One term is added to the context, ``containedIn``: it became
    one of Croissant's own with version 1.1, and without it mlcroissant 1.1.1 finds no file of any data set.

    Args:
        card: The card.
        footers: Footers of its files; a config without readable files is left out, as the Hub would.
        repo_id: ``org/name`` of the data set on the Hub.
    """
    distribution: list[dict[str, Any]] = [
        {
            "@type": "cr:FileObject",
            "@id": REPO,
            "name": REPO,
            "description": "The Hugging Face git repository.",
            "contentUrl": f"https://huggingface.co/datasets/{repo_id}/tree/refs%2Fconvert%2Fparquet",
            "encodingFormat": "git+https",
            "sha256": "https://github.com/mlcommons/croissant/issues/80",
        }
    ]
    record_sets: list[dict[str, Any]] = []
    for name, (splits, features) in described_configs(card, footers).items():
        file_set = f"parquet-files-for-config-{escaped(name)}"
        distribution.append(
            {
                "@type": "cr:FileSet",
                "@id": file_set,
                "containedIn": {"@id": REPO},
                "encodingFormat": "application/x-parquet",
                "includes": f"{name}/*/*.parquet",
            }
        )
        record_sets += [_split_records(name, splits), _records(repo_id, name, splits, features, file_set)]
    return {
        "@context": _context(),
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "distribution": distribution,
        "recordSet": record_sets,
        **_about(card, repo_id),
    }


def described_configs(card: Card, footers: Footers) -> dict[str, tuple[list[str], Mapping[str, Any]]]:
    """Return the configs that the Hub describes -> their splits and features."""
    found = {}
    for config in card.configs[:MAX_CONFIGS]:
        splits = {split: card.files_of(config, split) for split in config.splits}
        files = [file for files in splits.values() for file in files]
        if files and all(file in footers.read for file in files):
            features = footers.read[files[0]].features
            if features is not None:
                found[config.name] = [split for split in splits if splits[split]], features
    return found


def escaped(name: str) -> str:
    """Return a name as it stands in the Hub's ids."""
    return _NOT_IN_IDS.sub("_", name)


def _about(card: Card, repo_id: str) -> dict[str, Any]:
    """Return what the Hub takes from the card."""
    owner, _, name = repo_id.partition("/")
    licence = str(card.metadata.get("license", "unknown"))
    return {
        "name": name,
        "description": card.text.strip()[:1000] or name,
        "alternateName": [repo_id, str(card.metadata.get("pretty_name", name))],
        "creator": {"@type": "Organization", "name": owner, "url": f"https://huggingface.co/{owner}"},
        "keywords": [str(tag) for tag in card.metadata.get("tags") or []],
        "license": str(card.metadata.get("license_link") or f"https://choosealicense.com/licenses/{licence}/"),
        "url": f"https://huggingface.co/datasets/{repo_id}",
    }


def _split_records(config: str, splits: Sequence[str]) -> dict[str, Any]:
    """Return the record set of a config's splits, whose records stand in the metadata themselves."""
    name = f"{escaped(config)}_splits"
    field = f"{name}/split_name"
    return {
        "@type": "cr:RecordSet",
        "dataType": "cr:Split",
        "key": {"@id": field},
        "@id": name,
        "name": name,
        "description": f"Splits for the {escaped(config)} config.",
        "field": [{"@type": "cr:Field", "@id": field, "dataType": "sc:Text"}],
        "data": [{field: split} for split in splits],
    }


def _records(
    repo_id: str, config: str, splits: Sequence[str], features: Mapping[str, Any], file_set: str
) -> dict[str, Any]:
    """Return the record set of a config's rows."""
    name = escaped(config)
    fields = {
        column: _Field(file_set, column).of(f"{name}/{escaped(column)}", kind) for column, kind in features.items()
    }
    skipped = [column for column, field in fields.items() if field is None]
    description = f"{repo_id} - '{config}' subset"
    notes = [f"\n- {len(splits)} splits: {', '.join(splits)}"] if len(splits) > 1 else []
    notes += [f"\n- {len(skipped)} skipped column{'s' * (len(skipped) > 1)}: {', '.join(skipped)}"] if skipped else []
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "description": description + ("\n\nAdditional information:" + "".join(notes) if notes else ""),
        "field": [_split_field(name, config, splits, file_set), *(field for field in fields.values() if field)],
    }


def _split_field(name: str, config: str, splits: Sequence[str], file_set: str) -> dict[str, Any]:
    """Return the field that holds a row's split, taken from the path of its file."""
    names = "|".join(map(re.escape, splits))
    return {
        "@type": "cr:Field",
        "@id": f"{name}/split",
        "dataType": "sc:Text",
        "source": {
            "fileSet": {"@id": file_set},
            "extract": {"fileProperty": "fullpath"},
            "transform": {"regex": f"{re.escape(config)}/(?:partial-)?({names})/.+parquet$"},
        },
        "references": {"field": {"@id": f"{name}_splits/split_name"}},
    }


class _Field:
    """Makes the field of a column.

    Args:
        file_set: Id of the file set.
        column: Name of the column.
    """

    def __init__(self, file_set: str, column: str) -> None:
        self._file_set, self._column = file_set, column

    def of(self, field_id: str, feature: Any, path: Sequence[str] = ()) -> dict[str, Any] | None:
        """Return the field of a feature; None if it has no Croissant type.

        Args:
            field_id: Its id.
            feature: A feature of ``datasets``.
            path: Keys of the records around it, from the column inwards.
        """
        from datasets import ClassLabel, LargeList, List, Value

        if isinstance(feature, (List, LargeList)):
            return self._list(field_id, feature, path)
        if isinstance(feature, dict):
            keys = {key: key if _PLAIN_KEY.fullmatch(key) else f"['{key}']" for key in feature}
            inner = [self.of(f"{field_id}/{escaped(key)}", kind, (*path, keys[key])) for key, kind in feature.items()]
            return {"@type": "cr:Field", "@id": field_id, "subField": [field for field in inner if field]}
        if isinstance(feature, ClassLabel):
            return self._value(field_id, "sc:Integer", path)
        if isinstance(feature, Value) and feature.dtype in _VALUE_TYPES:
            return self._value(field_id, _VALUE_TYPES[feature.dtype], path)
        return None

    def _value(self, field_id: str, kind: str, path: Sequence[str]) -> dict[str, Any]:
        source: dict[str, Any] = {"fileSet": {"@id": self._file_set}, "extract": {"column": self._column}}
        transforms = [{"jsonPath": key} for key in path]
        if transforms:
            source["transform"] = transforms[0] if len(transforms) == 1 else transforms
        return {"@type": "cr:Field", "@id": field_id, "dataType": kind, "source": source}

    def _list(self, field_id: str, feature: Any, path: Sequence[str]) -> dict[str, Any] | None:
        from datasets import LargeList, List

        shape = []
        while isinstance(feature, (List, LargeList)):
            length = getattr(feature, "length", -1)
            shape.append(str(length if length and length > 0 else -1))
            feature = feature.feature
        field = self.of(field_id, feature, path)
        return None if field is None else {**field, "isArray": True, "arrayShape": ",".join(shape)}


def _context() -> dict[str, Any]:
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "dct": "http://purl.org/dc/terms/",
        "sc": "https://schema.org/",
        **{term: f"cr:{term}" for term in _CROISSANT_TERMS},
    }
