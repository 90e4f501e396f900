"""Mutants of a module: small mistakes, each as a change of its text.

Docstrings, annotations, decorators, assertions, log lines and f-strings are not changed: a test
that noticed such changes would check words or types, not behaviour.
"""

import ast
import re
from dataclasses import dataclass, field

_COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: (r"is\s+not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: (r"not\s+in", ("in",)),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "+"),
    ast.Pow: (r"\*\*", "*"),
}
_REMOVABLE = (ast.AugAssign, ast.Raise, ast.Break, ast.Continue, ast.Delete)
_LEFT_ALONE = (ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom)
_NOT_BEHAVIOUR = re.compile(r"(_?log|_?logger)\.|assert_never\(|TypeVar\(|NewType\(|ParamSpec\(")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one change in it."""

    path: str
    where: str
    """The dotted name of the changed function or class; empty at module level."""
    operator: str
    line: int
    end_line: int
    start: int
    end: int
    """The bytes from `start` up to, but not including, `end` are replaced."""
    replacement: str
    at_import: bool
    """Whether the line runs once for all tests: at import, or when a cache is filled."""

    def applied(self, source: str) -> str:
        """The module's text with the change."""
        text = source.encode()
        return (text[: self.start] + self.replacement.encode() + text[self.end :]).decode()

    def lines(self, source: str) -> tuple[str, str]:
        """The changed lines before and after, without indentation and line breaks."""
        text, changed = source.encode(), self.applied(source).encode()
        begin = text.rfind(b"\n", 0, self.start) + 1
        rest = len(text) - text.index(b"\n", self.end)
        was, becomes = text[begin : len(text) - rest], changed[begin : len(changed) - rest]
        return " ".join(was.decode().split()), " ".join(becomes.decode().split())


def mutants_of(path: str, source: str) -> list[Mutant]:
    """All mutants of a module, in the order of its text; each is valid Python."""
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    found = sorted(set(finder.found), key=lambda one: (one.start, one.end, one.replacement))
    return [one for one in found if _valid(one.applied(source))]


def _valid(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


@dataclass
class _Finder(ast.NodeVisitor):
    path: str
    source: str
    found: list[Mutant] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._text = self.source.encode()
        self._line_starts = [0]
        for line in self._text.splitlines(keepends=True):
            self._line_starts.append(self._line_starts[-1] + len(line))
        self._names: list[str] = []
        self._inside_functions = 0

    # Nodes that are not changed.

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, _LEFT_ALONE):
            return
        if isinstance(node, ast.expr | ast.stmt) and _NOT_BEHAVIOUR.match(self._segment(node)):
            return
        super().visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._names.append(node.name)
        for child in node.body:
            self.visit(child)
        self._names.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        # Defaults run when the function is defined; a cached body runs for the first caller only.
        self._names.append(node.name)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        cached = any("cache" in self._segment(decorator) for decorator in node.decorator_list)
        self._inside_functions += not cached
        for child in node.body:
            self.visit(child)
        self._inside_functions -= not cached
        self._names.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 -- the name that ast looks for

    # Nodes that are changed.

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            sign, others = _COMPARISONS[type(operator)]
            for other in others:
                self._between("comparison", node, left, right, sign, other)
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        is_and = isinstance(node.op, ast.And)
        for left, right in zip(node.values, node.values[1:], strict=False):
            sign, other = ("and", "or") if is_and else ("or", "and")
            self._between("and/or", node, left, right, sign, other)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        texts = [isinstance(side, ast.JoinedStr) for side in (node.left, node.right)]
        if type(node.op) in _ARITHMETIC and not any(texts):
            sign, other = _ARITHMETIC[type(node.op)]
            self._between("arithmetic", node, node.left, node.right, sign, other)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace("not", node, f"({self._segment(node.operand)})")
        elif isinstance(node.op, ast.USub):
            self._replace("arithmetic", node, f"({self._segment(node.operand)})")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in _ARITHMETIC:
            sign, other = _ARITHMETIC[type(node.op)]
            self._between("arithmetic", node, node.target, node.value, sign, other)
        self.generic_visit(node)

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    visit_While = visit_If  # noqa: N815 -- as above
    visit_IfExp = visit_If  # noqa: N815 -- as above

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for condition in node.ifs:
            self._negate(condition)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._replace("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            for other in (node.value - 1, node.value + 1):
                self._replace("constant", node, f"({other})" if other < 0 else str(other))
        elif isinstance(node.value, float):
            self._replace("constant", node, repr(2 * node.value + 1))

    def visit_Return(self, node: ast.Return) -> None:
        value = node.value
        if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
            self._replace("return", node, "return None")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self._replace("statement", node, "pass")
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._replace("statement", node, "pass")
        self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, _REMOVABLE):
            self._replace("statement", node, "pass")
        super().generic_visit(node)

    # How nodes are changed.

    def _negate(self, test: ast.expr) -> None:
        # Comparisons and their compositions have mutants of their own.
        if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            self._replace("not", test, f"(not ({self._segment(test)}))")

    def _between(
        self, operator: str, node: ast.AST, left: ast.expr, right: ast.expr, sign: str, other: str
    ) -> None:
        """Replace the sign between two operands."""
        start, end = self._end(left), self._start(right)
        word = rf"\b{sign}\b" if sign[0].isalpha() else sign
        match = re.search(word, self._text[start:end].decode())
        if match is not None:
            self._add(operator, node, start + match.start(), start + match.end(), other)

    def _replace(self, operator: str, node: ast.expr | ast.stmt, replacement: str) -> None:
        self._add(operator, node, self._start(node), self._end(node), replacement)

    def _add(self, operator: str, node: ast.AST, start: int, end: int, replacement: str) -> None:
        assert isinstance(node, ast.expr | ast.stmt)
        self.found.append(
            Mutant(
                path=self.path,
                where=".".join(self._names),
                operator=operator,
                line=node.lineno,
                end_line=node.end_lineno or node.lineno,
                start=start,
                end=end,
                replacement=replacement,
                at_import=self._inside_functions == 0,
            )
        )

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._line_starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._line_starts[node.end_lineno - 1] + node.end_col_offset

    def _segment(self, node: ast.expr | ast.stmt) -> str:
        return self._text[self._start(node) : self._end(node)].decode()
