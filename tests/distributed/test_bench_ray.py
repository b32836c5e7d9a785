"""The sums of `benchmarks/bench_ray.py`."""

import json

import bench_ray
import pytest
from bench_ray import Watch, one_process, write_texts

from spacy_ucca.distributed.ray_engine import Summary
from spacy_ucca.distributed.stage import ParseStage
from spacy_ucca.distributed.texts import Reader


def test_so_many_words_are_written(tmp_path):
    write_texts(tmp_path / "a.jsonl", ["a b c", "d"], 9)
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf8").splitlines()]
    assert [line["text"] for line in lines] == ["a b c", "d", "a b c", "d", "a b c"]
    assert len({line["id"] for line in lines}) == 5


def test_start_up_is_apart(monkeypatch):
    clock = iter([0.0, 10.0, 12.0, 14.0])
    used = iter(
        [{1: (5.0, 100.0)}, {1: (6.0, 300.0), 2: (1.0, 200.0)}, {1: (7.0, 90.0), 2: (2.0, 80.0)}]
    )
    monkeypatch.setattr(bench_ray.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(bench_ray, "workers", lambda: next(used))
    watch = Watch()
    for tokens in (1000, 3000, 5000):
        watch(Summary(tokens=tokens))
    found = watch.figures()
    assert found["words_per_second"] == 1000 and found["cpu_us_per_word"] == pytest.approx(1000)
    assert found["first_file_seconds"] == 10 and found["peak_mib"] == 300


def test_one_process(flat_model, tmp_path):
    write_texts(tmp_path / "a.jsonl", ["One two three."], 60)
    stage = ParseStage(flat_model)
    found = one_process(stage, tmp_path / "a.jsonl", tmp_path / "out", Reader(words=10))
    assert len(list((tmp_path / "out").iterdir())) == 5 and found["words_per_second"] > 0
