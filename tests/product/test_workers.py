"""--engine and --device: who fits the candidates, and where networks are learnt."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import sumlearn as sl
from sumlearn.cli import main
from sumlearn.product import UsageProblem, train
from sumlearn.product.candidates import Candidate, along
from sumlearn.product.catalogue import named_candidates
from sumlearn.product.clock import Clock, OutOfTime
from sumlearn.product.options import Options
from sumlearn.product.training import anywhere
from sumlearn.product.warning_records import Recorder
from sumlearn.product.workers import Here, OnDask, address_of, workers_of

ASKED = {"models": "lda,logistic,tree,sklearn_boosting", "cv": 4, "budget": "none", "refits": 3, "row_hashes": False}


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp"
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


def test_workers_of_a_scheduler_give_the_bits_of_this_process(client):
    here = train("pima", **ASKED)
    there = train("pima", engine=f"dask:{client.scheduler.address}", **ASKED)
    assert there.metrics == here.metrics
    assert there.predictions == here.predictions
    for name, answers in here.nested.answers.items():
        for a, b in zip(answers, there.nested.answers[name], strict=True):
            np.testing.assert_array_equal(a.scores, b.scores)


def test_the_work_is_done_by_the_workers(client, monkeypatch):
    def never(*given):
        raise AssertionError("this process fits")

    monkeypatch.setattr(Here, "each", never)
    with client.as_current():
        train("iris", models="logistic", engine="dask", budget="none", refits=0, row_hashes=False)


def test_warnings_and_failures_come_back(client):
    """What a learner says on a worker is heard here, and what fails there is named here."""
    warned = Candidate("warned", "warned", "classify", lambda: sl.LogisticRegression(max_iter=1), along())
    broken = Candidate("broken", "broken", "classify", lambda: sl.LogisticRegression(C=-1.0), along())
    engine = f"dask:{client.scheduler.address}"
    options = {"budget": "none", "refits": 0, "row_hashes": False}
    here, there = (train("pima", models=[warned, broken], engine=e, **options).metrics for e in (None, engine))
    assert "not-converged" in [check["code"] for check in here["checks"]]
    assert there == here
    assert "C" in there["failed"]["broken"]


def test_warnings_of_threads_side_by_side_are_told_apart():
    before, recorder, barrier = warnings.showwarning, Recorder(), threading.Barrier(8)

    def work(number):
        with recorder.recording() as told:
            barrier.wait(5)
            for _ in range(50):
                warnings.warn(f"of {number}", ConvergenceWarning, stacklevel=1)
            barrier.wait(5)
        return told == [["ConvergenceWarning", f"of {number}"]] * 50

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(8)))
    assert warnings.showwarning is before


@pytest.mark.slow
def test_warnings_come_back_from_other_processes():
    distributed = pytest.importorskip("distributed")
    options = {"models": "logistic_l1", "cv": 4, "budget": "none", "refits": 0, "row_hashes": False}
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        with workers_of("dask") as workers:
            problem = train("iris", models="lda", refits=0, row_hashes=False, budget="none").problem
            job = np.arange(9), np.arange(9)
            with pytest.warns(ConvergenceWarning, match="not there"):
                list(workers.each(warned_work, problem, "lda", [job, job], None))
        assert train("pima", engine="dask", **options).metrics == train("pima", **options).metrics


def warned_work(problem, name, rows, asked, watch):
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    warnings.warn("not there yet", ConvergenceWarning, stacklevel=1)
    return []


def test_a_worker_that_takes_too_long_is_left(client):
    def slow(problem, name, rows, asked, watch):
        while True:
            watch.check()

    with client.as_current(), workers_of("dask") as workers, pytest.raises(OutOfTime):
        problem = train("iris", models="lda", refits=0, row_hashes=False, budget="none").problem
        list(workers.each(slow, problem, "lda", [(np.arange(9), np.arange(9))], Clock(0.3)))


def test_the_estimate_knows_of_the_workers(client):
    with workers_of(f"dask:{client.scheduler.address}") as workers:
        assert isinstance(workers, OnDask)
        assert workers.count == 2
    assert Here.count == 1


@pytest.mark.parametrize("engine", ["spark", "local:4", "dusk"])
def test_what_is_no_engine(engine):
    with pytest.raises(UsageProblem, match="--engine"):
        address_of(engine)


def test_a_scheduler_that_does_not_answer(capsys, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("sumlearn.product.workers.WAIT", 0.2)
    assert (
        main(["train", "iris", "--models", "lda", "--engine", "dask:tcp://127.0.0.1:9", "--quiet", "-o", "never"]) == 2
    )
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in capsys.readouterr().err


def test_a_run_is_repeated_without_the_cluster(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = f"train iris --models qda,logistic --budget none --refits 3 --engine dask:{client.scheduler.address} -q"
    assert main([*words.split(), "-o", "first"]) == 0
    assert "engine" not in (tmp_path / "first/run.toml").read_text()
    assert main(["train", "--config", "first/run.toml", "-o", "again", "-q"]) == 0
    first, again = ((tmp_path / name / "metrics.json").read_text() for name in ("first", "again"))
    assert first == again


# -- devices ---------------------------------------------------------------------------------------------------------


def test_a_device_that_is_not_there_is_refused(capsys):
    pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(UsageProblem, match=r"'nowhere' is not there.*--device"):
        _ = Options(device="nowhere").torch_device
    assert main(["train", "iris", "--models", "network", "--device", "nowhere", "-q", "-o", "never"]) == 2
    assert "--device" in capsys.readouterr().err


def test_models_that_know_no_device_are_not_silently_elsewhere(monkeypatch):
    monkeypatch.setattr(Options, "torch_device", "cuda")
    with pytest.raises(UsageProblem, match=r"none of the models learns on a device.*--device"):
        train("iris", models="lda,qda", device="cuda")


def test_networks_are_learnt_on_the_device_and_answer_without(monkeypatch):
    """torch's own processor stands for a graphics card."""
    pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setattr(Options, "torch_device", "cpu")
    learnt_on = []
    monkeypatch.setattr(
        "sumlearn.product.training.anywhere", lambda m: (learnt_on.append(m.learner_.device), anywhere(m))[1]
    )
    network = Candidate("own", "own", "classify", lambda: sl.MLPClassifier((5,), max_iter=20, tol=1.0), along())
    found = train("iris", models=[network], cv=2, refits=0, row_hashes=False, budget="none")
    assert learnt_on == ["cpu"]
    model = found.model.model
    assert model.learner.device is None
    assert model.learner_.device is None
    found.model.predict(found.problem.frame)
    for name, known in (("network", True), ("lda", False)):
        (candidate,) = named_candidates(name, "classify")
        assert candidate.on("cuda").learner().get_params().get("device") == ("cuda" if known else None)
