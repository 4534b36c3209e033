"""The whole pipeline as a lighteval model: recognise, classify, retrieve, filter, respond; each part replaceable."""

from __future__ import annotations

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.systems.model_string import ModelString
from healthdial.systems.pipeline_parts import BUILT_IN, Parts, Turn
from hub.errors import BenchError
from metrics import lighteval_models as base
from metrics.pipeline import PipelineAnswer


class PipelineModel(base.AnsweringModel):
    """Chains the parts on the user turns of the test dialogues.

    The model string is ``NAME=PART:SYSTEM,...``: NAME stands in the results. Run it with
    ``python -m tasks custom "floor=classify:always,retrieve:bm25,filter:top1,respond:lead"
    healthdial/systems/pipeline.py "healthdial_pipeline|0"``. A part that is not named is ``gold``. RUN is the
    ``--output-dir`` of a finished run of the component's task on the same data; it must not hold a comma.

    | part | gold | built in, from what the parts before it gave | RUN of the task, made on gold inputs |
    |---|---|---|---|
    | ``asr`` | the transcript | | ``asr`` |
    | ``classify`` | the label | ``always``: look up at every turn (the majority) | ``turn_classification`` |
    | ``retrieve`` | the gold snippets | ``bm25``: ten for the history as heard | ``retrieval``, ``speech_retrieval`` |
    | ``filter`` | the gold among those retrieved | ``top<k>``: the first k | ``filtering`` |
    | ``respond`` | the answer in the data | ``lead``: see ``systems/replies.py`` | ``response_generation`` |

    What is built in is computed anew when a part before it changes. What comes from a run is not: its classifier,
    retriever and filter read gold transcripts and, for the filter, candidates of its own; its responses were written
    on the snippets of that run. Such a part is as good as in that run, not as it would be after the parts before it;
    only speech retrieval reads the recording. All that a run's filter selected counts, retrieved here or not.

    Turns that runs have no item for: retrieval runs have no OOK turns, so there BM25 ranks, and the filter has
    something to reject; where the classifier looks up at a turn that needs nothing, BM25 ranks and a run's filter
    selects nothing (the turn is the classifier's error anyway). A classifier's answer that can't be read means yes.

    Assistant turns of the history are those of the data, and user turns are as heard: a finished dialogue can't be had
    again with other answers.

    Raises:
        BenchError: The model string is wrong, or a run lacks a turn.
    """

    components = ("healthdial_pipeline",)

    def __init__(self, config: ModelConfig) -> None:
        asked = ModelString.parse(config.model_name, tuple(BUILT_IN), model="", separator=":")
        if not asked.settings:
            raise BenchError(
                f"the model string is {config.model_name!r} and names no part, so all would be gold; name one of "
                f"{', '.join(BUILT_IN)}, such as bm25=retrieve:bm25,filter:top1"
            )
        self._parts = Parts(asked.settings)
        super().__init__(config.model_copy(update={"model_name": asked.name}))

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return what the parts made of every turn, as a JSON object (`PipelineAnswer`)."""
        turns = [Turn.of(base.specific(doc), doc.choices[0]) for doc in docs]
        heard = [self._heard(turn) for turn in turns]
        needed = [self._parts.needs_retrieval(turn) for turn in turns]
        looked_up = [index for index, is_needed in enumerate(needed) if is_needed]
        queries = [" ".join(filter(None, heard[index])) for index in looked_up]
        found = self._parts.rankings([turns[index] for index in looked_up], queries)
        rankings = dict(zip(looked_up, found, strict=True))
        return [
            self._answer(turn, heard[index][-1], needed[index], rankings.get(index, [])).to_json()
            for index, turn in enumerate(turns)
        ]

    def _heard(self, turn: Turn) -> list[str]:
        """Return the texts of the history, user turns as the recogniser heard them."""
        return [
            self._parts.transcript(name, text, turn.language) if role == "user" else text
            for role, name, text in turn.history
        ]

    def _answer(self, turn: Turn, transcript: str, needs_retrieval: bool, retrieved: list[str]) -> PipelineAnswer:
        selected = self._parts.selection(turn, retrieved) if needs_retrieval else ()
        return PipelineAnswer(
            transcript=transcript,
            needs_retrieval=needs_retrieval,
            retrieved=tuple(retrieved),
            selected=selected,
            response=self._parts.response(turn, needs_retrieval, selected or ()),
        )
