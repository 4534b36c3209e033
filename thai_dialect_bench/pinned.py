"""SHA-256 of the data of the pinned commit: its files, and each table and template set in canonical JSON."""

from __future__ import annotations

FILES: dict[str, str] = {
    "datasets/dataset.pkl": "bf3e830daadd79beece6faf74779147c7af023d30d09c1b39f3c3b58502d167f",
    "datasets/qa.csv": "b0a4f14975650cf267a4551be8ccb3a66aee318f84a8f325dcac7b4de1feb50e",
    "datasets/summarization.csv": "af23bd00971d46e7e20a4bb95383116651489044500a9b29988fafd655572818",
    "datasets/translation.csv": "16036d0353431ffe2caf49ee060b52181244caaa55f09c60070465f21cbfc16d",
}
QA_V1 = "82498862f8a2d0e29e319ae8abb3fb0a7186dccf61b88ebd8e16cb4bd0d47c5f"
TABLES: dict[str, str] = {
    "center__qa": "9ae1526b3097aa74cde581e846eef69371181d0bcd3b04ff70f56c7935ec0d5d",
    "center__summarization": "93e4492c64b0ef23071d72237fbc95b1f40be29aa93124283f3ffa164ecbcb65",
    "center__translation_eng_center": "68195a34e926990ba3edc471d66027b4928c6d6c16b4a45330babc383f6f81ab",
    "center__translation_center_eng": "a39818112c7c6b6d4bfe59e07f1e79446145f4f67524be8e14f6f9970b556d41",
    "center__food": "f4e3e870291980f5ca94327b913602d0725b45a4b901f2a8ae10fd7c21f34653",
    "center__conversation": "2be00b5ba61a49f0d5fcd964102c6179c971a5de7aecf215da2a34a851c54b1e",
    "east__qa": "ba143d7598b5ef9c9f23839b7f321b1904435176f8f193c3bed2409862f2a062",
    "east__summarization": "3cbaffb380f056f61657bfd8e4203f0a894b5e8e06f27501071133501c422ca9",
    "east__translation_eng_east": "565b74ccd4fea224e027d67a328f9d6edd026ebb97742e88d6c8c17e6eedb6a5",
    "east__translation_east_eng": "4a77bf2a1dba6280cc4fb4e58b673eae85ae8a2b4bbde803d0395738d4b758bc",
    "east__food": "bb38bcd2b2942739f53bac92a66bf27c30b254661d34971449e2e3549148209c",
    "east__conversation": "2be00b5ba61a49f0d5fcd964102c6179c971a5de7aecf215da2a34a851c54b1e",
    "north__qa": "8ea25a7c1b70eec6777b07ac049b34897ba08f20946f105039e647da432309c6",
    "north__summarization": "c50969398eb2f4ad8630b70d27cddd672c7733d34b563e298685fea3cee59d18",
    "north__translation_eng_north": "9702e67936b1225c6d3edbd473708981422e83110b9934a97c1b3b53cc4a713b",
    "north__translation_north_eng": "aa1bc143a6de54a201d174d403aaaabed9021af022591b2fb2713eac876d02c4",
    "north__food": "92f0aac54dc0165a8120c3097ecbfd176502d0890351917485bdd1f9b2e07656",
    "north__conversation": "2be00b5ba61a49f0d5fcd964102c6179c971a5de7aecf215da2a34a851c54b1e",
    "south__qa": "420467af6fad3120c2231559a24ed63d75269fa6a8b0c04c9077a6073458ebb4",
    "south__summarization": "15758f4a90c4ea86d5db66ba6c8ef05a6556dc00a3848a2306afda3522594e01",
    "south__translation_eng_south": "9a73b1bcd9947f024556baf6ab217ce147438281dc5e4bd42e0cc8a2ec477b7f",
    "south__translation_south_eng": "7d272a07b231a00b66188fa92fd4851e2c299ea950ca653c431b48dbed8fffd8",
    "south__food": "c6d8e1fc60b5e8851f6e0046985c1449b8c5037ae9777539d1ec592253322c16",
    "south__conversation": "2be00b5ba61a49f0d5fcd964102c6179c971a5de7aecf215da2a34a851c54b1e",
}
TEMPLATES: dict[str, str] = {
    "center": "6a43590216f82d3580a8221088a460917c01ad5bbf1b7dbffb183dcc7d345b26",
    "east": "28ba24e45c15e2acd96f04c04ad1393dcf7088f2637ea8d9f68bd89ad63d69f0",
    "north": "6fa37326827a2ee774f41cad1aa4a602415115a05ba464b2ce28714e1d9228e7",
    "south": "06dfa328ec49538fc5c7ba5212387fb409478f4de1e7aec466262655da0d4e2d",
}
