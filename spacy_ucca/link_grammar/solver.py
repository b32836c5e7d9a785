"""Solve mixed integer programs with HiGHS (the package `highspy`)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..errors import Errors, UccaError

INFINITY = float("inf")
INSTALL = "pip install 'spacy-ucca[links]'"


class Solution(NamedTuple):
    """The result of solving a program.

    values (Optional[List[float]]): The value of each variable by its index, or None if no solution was found in time.
    objective (float): The cost of the solution.
    bound (float): A lower bound of the cost of every solution.
    seconds (float): The time that solving took.
    optimal (bool): Whether the cost is the minimum, within the solver's tolerance.
    """

    values: list[float] | None
    objective: float
    bound: float
    seconds: float
    optimal: bool


def new_program() -> Any:
    """RETURNS (highspy.Highs): An empty program.
    RAISES (UccaError): If HiGHS is not installed."""
    try:
        import highspy
    except ImportError:
        raise UccaError(Errors.UC906.format(install=INSTALL)) from None
    program = highspy.Highs()
    program.setOptionValue("output_flag", False)
    program.setOptionValue("threads", 1)
    return program


def solve(
    program: Any,
    *,
    time_limit: float = INFINITY,
    gap: float = 0.0,
    show: bool | None = False,
) -> Solution:
    """Minimize the cost of a program.

    program (highspy.Highs): The program.
    time_limit (float): Seconds after which the best solution so far is given.
    gap (float): How far the solution may be from the bound, as a share of the bound.
    show (Optional[bool]): Whether to show progress; only on a terminal if it is None.
    RETURNS (Solution): The solution.
    RAISES (UccaError): If the program has no solution at all.
    """
    import highspy

    program.setOptionValue("mip_rel_gap", gap)
    program.setOptionValue("time_limit", time_limit)
    with _progress(program, time_limit, show):
        program.run()
    info, status = program.getInfo(), program.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        raise UccaError(Errors.UC907)
    feasible = info.primal_solution_status == 2
    return Solution(
        list(program.getSolution().col_value) if feasible else None,
        info.objective_function_value if feasible else INFINITY,
        info.mip_dual_bound,
        program.getRunTime(),
        status == highspy.HighsModelStatus.kOptimal,
    )


@contextmanager
def _progress(solver: Any, time_limit: float, show: bool | None) -> Iterator[None]:
    """A progress bar of seconds, with the best solution so far and its gap."""
    import sys

    from tqdm import tqdm

    disable = None if show is None else not show
    total = int(time_limit) if time_limit < INFINITY else None
    with tqdm(total=total, disable=disable, unit="s", file=sys.stderr, leave=False) as bar:

        def advance(event: Any) -> None:
            data = event.data_out
            if data.mip_primal_bound < 1e30:
                text = f"objective {data.mip_primal_bound:.2f}, gap {100 * data.mip_gap:.2f}%"
                bar.set_postfix_str(text, refresh=False)
            bar.update(int(data.running_time) - bar.n)

        if not bar.disable:
            solver.cbMipInterrupt += advance
        yield
