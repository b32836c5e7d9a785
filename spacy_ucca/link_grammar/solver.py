"""Mixed integer programs: columns and rows, solved by HiGHS (the package `highspy`).

What the columns mean is their builder's, see `direction_program.py`.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy

from ..errors import Errors, UccaError

__all__ = ["Program", "Solution"]

INFINITY = float("inf")
INSTALL = "pip install 'spacy-ucca[links]'"


class Solution(NamedTuple):
    """What was found for a program.

    values (Optional[List[float]]): The value of each column, or None if nothing was found in time.
    objective (float): What is minimized.
    bound (float): What it cannot be below.
    seconds (float): How long it took.
    optimal (bool): Whether it is the minimum, within the solver's tolerance.
    """

    values: list[float] | None
    objective: float
    bound: float
    seconds: float
    optimal: bool


@dataclass
class Program:
    """A program: minimize the cost of columns, between bounds of columns and rows."""

    costs: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    integer: list[bool] = field(default_factory=list)
    row_lower: list[float] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    indices: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    constant: float = 0.0

    def column(self, cost: float = 0.0, *, upper: float = INFINITY, integer: bool = False) -> int:
        """Add a column whose value is at least 0.

        cost (float): Its cost.
        upper (float): What its value is at most.
        integer (bool): Whether its value is a whole number.
        RETURNS (int): Its index.
        """
        self.costs.append(cost)
        self.lower.append(0.0)
        self.upper.append(upper)
        self.integer.append(integer)
        return len(self.costs) - 1

    def binary(self, cost: float = 0.0) -> int:
        """RETURNS (int): The index of a new column that is 0 or 1."""
        return self.column(cost, upper=1.0, integer=True)

    def fix(self, index: int, value: float) -> None:
        """Give a column a value."""
        self.lower[index] = self.upper[index] = value

    def row(self, terms: Iterable[tuple[int, float]], least: float) -> None:
        """Add a row.

        terms (Iterable[Tuple[int, float]]): Columns and their factors; each column once.
        least (float): What the sum is at least.
        """
        for index, value in terms:
            self.indices.append(index)
            self.values.append(value)
        self.starts.append(len(self.indices))
        self.row_lower.append(least)

    def solve(
        self,
        *,
        time_limit: float = INFINITY,
        gap: float = 0.0,
        show: bool | None = False,
    ) -> Solution:
        """Solve the program.

        time_limit (float): Seconds after which the best solution so far is given.
        gap (float): How far it may be from the bound, as a share of it.
        show (Optional[bool]): Whether to show progress; only on a terminal if it is None.
        RETURNS (Solution): What was found.
        RAISES (UccaError): If HiGHS is not installed, or there is no solution at all.
        """
        try:
            import highspy
        except ImportError:
            raise UccaError(Errors.UC906.format(install=INSTALL)) from None
        solver = highspy.Highs()
        options = {"output_flag": False, "threads": 1, "mip_rel_gap": gap, "time_limit": time_limit}
        for name, value in options.items():
            solver.setOptionValue(name, value)
        solver.passModel(self._model(highspy))
        with _progress(solver, time_limit, show):
            solver.run()
        info, status = solver.getInfo(), solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            raise UccaError(Errors.UC907)
        found = info.primal_solution_status == 2  # feasible
        optimal = status == highspy.HighsModelStatus.kOptimal
        return Solution(
            list(solver.getSolution().col_value) if found else None,
            info.objective_function_value if found else INFINITY,
            info.mip_dual_bound,
            solver.getRunTime(),
            optimal,
        )

    def _model(self, highspy: Any) -> Any:
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(self.costs), len(self.row_lower)
        model.col_cost_ = numpy.array(self.costs)
        model.col_lower_, model.col_upper_ = numpy.array(self.lower), numpy.array(self.upper)
        model.row_lower_ = numpy.array(self.row_lower)
        model.row_upper_ = numpy.full(len(self.row_lower), highspy.kHighsInf)
        kinds = highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger
        model.integrality_ = [kinds[is_integer] for is_integer in self.integer]
        model.offset_ = self.constant
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = numpy.array(self.starts)
        model.a_matrix_.index_ = numpy.array(self.indices)
        model.a_matrix_.value_ = numpy.array(self.values)
        return model


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
