import pickle

from simbackup.errors import InputError, Place, Problem


def test_problems_survive_the_way_from_a_worker_process() -> None:
    error = InputError([Problem(Place("a.yaml", 3, 5), "jobs.full.to", "no device 'tpae'", "did you mean 'tape'?")])
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
    assert str(back) == str(error)
    assert back.problems == error.problems
