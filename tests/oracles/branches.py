"""Which way the conditions of some modules went: `watched` rewrites their functions."""

import ast
import contextlib
import gc
import operator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType

import numpy as np

ORDERS = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_TRUE_IF_EQUAL = operator.le, operator.ge


@dataclass
class Condition:
    """A place where the code can go two ways.

    Attributes
    ----------
    label : str
        Module, function and source.
    holds : function or None
        Of a comparison by size: the comparison.
    needed : set
        The sides that must be met: True and False; or, of a comparison, 0 where both
        are equal, and -1 or 1 where the left is less or more, whichever differs.
    threshold : bool
        Whether numbers of the code, or its names for them, are compared with.
    met : dict
        Each side that was met with the least difference of the two that were compared.
    """

    label: str
    needed: set
    holds: object = None
    threshold: bool = False
    met: dict = field(default_factory=dict)

    @property
    def missing(self):
        return self.needed - set(self.met)

    def meet(self, side, distance=np.inf):
        self.met[side] = min(distance, self.met.get(side, np.inf))


class Conditions(list):
    """All conditions, and what rewritten code calls."""

    def clear_met(self):
        for condition in self:
            condition.met = {}

    def truth(self, number, value):
        self[number].meet(bool(value))
        return value

    def enter(self, number):
        self[number].meet(True)

    def order(self, numbers, *values):
        """Compare as Python does, chains too, whose values are evaluated at once."""
        result = True
        pairs = zip(values[:-1], values[1:], strict=True)
        for number, (left, right) in zip(numbers, pairs, strict=True):
            condition = self[number]
            _meet_order(condition, left, right)
            result = condition.holds(left, right)
            if len(numbers) > 1 and not result:
                break
        return result

    def pick(self, number, least, first, second):
        _meet_order(self[number], first, second)
        return least(first, second)


def _meet_order(condition, left, right):
    for side, holds in ((-1, operator.lt), (0, operator.eq), (1, operator.gt)):
        with np.errstate(invalid="ignore"):
            found = holds(left, right)
        if not (found.any() if hasattr(found, "any") else found):
            continue
        condition.meet(side)
        if np.ndim(left) == np.ndim(right) == 0:
            with (
                contextlib.suppress(OverflowError, TypeError),
                np.errstate(all="ignore"),
            ):
                condition.meet(side, abs(float(left) - float(right)))


class _Rewriter(ast.NodeTransformer):
    def __init__(self, module, conditions):
        self._path = [module]
        self._conditions = conditions

    def _new(self, node, needed, holds=None, threshold=False):
        label = f"{'.'.join(self._path)}: {ast.unparse(node)}"
        self._conditions.append(Condition(label, needed, holds, threshold))
        return ast.Constant(len(self._conditions) - 1)

    def _call(self, node, method, *arguments):
        function = ast.Attribute(
            ast.Name("__conditions__", ast.Load()), method, ast.Load()
        )
        return ast.copy_location(ast.Call(function, list(arguments), []), node)

    def _visit_scope(self, node):
        self._path.append(node.name)
        node = self.generic_visit(node)
        self._path.pop()
        return node

    visit_FunctionDef = visit_ClassDef = _visit_scope

    def _truth(self, test):
        if isinstance(test, ast.BoolOp):  # whose parts are recorded
            return self.visit(test)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self._truth(test.operand)
            return test
        number = self._new(test, {True, False})
        return self._call(test, "truth", number, self.visit(test))

    def _visit_test(self, node):
        node.test = self._truth(node.test)
        for name, value in ast.iter_fields(node):
            if name == "test":
                continue
            if isinstance(value, list):
                value[:] = [self.visit(part) for part in value]
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    visit_If = visit_IfExp = visit_While = _visit_test

    def visit_BoolOp(self, node):
        node.values = [self._truth(value) for value in node.values]
        return node

    def visit_comprehension(self, node):
        node.ifs = [self._truth(test) for test in node.ifs]
        node.iter = self.visit(node.iter)
        return node

    def visit_ExceptHandler(self, node):
        head = ast.ExceptHandler(node.type, node.name, [ast.Pass()])
        number = self._new(head, {True})
        node = self.generic_visit(node)
        node.body.insert(
            0, ast.copy_location(ast.Expr(self._call(node, "enter", number)), node)
        )
        return node

    def visit_Compare(self, node):
        of_sets = any(
            isinstance(part, ast.Set)
            or (isinstance(part, ast.Name) and part.id == "set")
            for part in ast.walk(node)
        )
        if of_sets or not all(type(op) in ORDERS for op in node.ops):
            return self.generic_visit(node)
        values, numbers = [node.left, *node.comparators], []
        for op, left, right in zip(node.ops, values[:-1], values[1:], strict=True):
            holds = ORDERS[type(op)]
            if_equal = holds in _TRUE_IF_EQUAL
            rises = holds in (operator.gt, operator.ge)
            needed = {0, -1 if if_equal == rises else 1}
            pair = ast.Compare(left, [op], [right])
            threshold = any(map(_holds_threshold, (left, right)))
            numbers.append(self._new(pair, needed, holds, threshold))
        values = [self.visit(value) for value in values]
        return self._call(node, "order", ast.List(numbers, ast.Load()), *values)

    def visit_Call(self, node):
        least = isinstance(node.func, ast.Name) and node.func.id in ("min", "max")
        plain = len(node.args) == 2 and not node.keywords
        if not least or not plain or any(isinstance(a, ast.Starred) for a in node.args):
            return self.generic_visit(node)
        number = self._new(node, {-1, 1})
        node = self.generic_visit(node)
        return self._call(node, "pick", number, node.func, *node.args)


def _holds_threshold(node):
    """Whether an expression names a threshold, or has a number but 0 and 1."""
    if isinstance(node, ast.Name):
        return node.id.isupper()
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and node.value not in (0, 1)
    return not isinstance(node, ast.Subscript) and any(
        map(_holds_threshold, ast.iter_child_nodes(node))
    )


def _codes(code, found):
    found[code.co_qualname, code.co_firstlineno, code.co_varnames] = code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _codes(constant, found)
    return found


@contextlib.contextmanager
def watched(modules):
    """Yield the `Conditions` of modules, which their functions record meanwhile."""
    conditions, codes = Conditions(), {}
    for module in modules:
        path = Path(module.__file__)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        tree = _Rewriter(path.stem, conditions).visit(tree)
        code = compile(ast.fix_missing_locations(tree), module.__file__, "exec")
        codes[module.__file__] = _codes(code, {})
        vars(module)["__conditions__"] = conditions
    before = []
    for function in gc.get_objects():
        if type(function) is FunctionType:
            old = function.__code__
            key = old.co_qualname, old.co_firstlineno, old.co_varnames
            new = codes.get(old.co_filename, {}).get(key)
            if new is not None:
                before.append((function, old))
                function.__code__ = new
    try:
        yield conditions
    finally:
        for function, code in before:
            function.__code__ = code
        for module in modules:
            del vars(module)["__conditions__"]
