"""Sphinx extension: docstrings are plain text that reads well in a terminal, so their marks are no markup.

A formula such as ``w = (X'X)^-1 X'y``, a name such as ``coef_`` or a bar as in ``|x|`` would mean something
to reStructuredText. Before the docstring is parsed,

- an indented paragraph of the prose becomes a literal block (that is how formulas are written),
- outside backquotes and examples the characters ``* | _`` lose their meaning.
"""

import re

SECTION = re.compile(r"^(-{3,}|={3,})\s*$")
CODE = re.compile(r"(``.+?``|`[^`]+`)")
MARKS = re.compile(r"(\\|\*|\||_(?!\w))")
EXAMPLE = re.compile(r"^\s*(>>>|\.\.\. )")


def escape(line):
    """The line with its marks switched off, code in backquotes made literal."""
    text, *rest = CODE.split(line)
    result = MARKS.sub(r"\\\1", text)
    for code, text in zip(rest[0::2], rest[1::2], strict=True):
        # an escaped blank, which prints nothing, parts code from a neighbour as in 2**`exponent`
        before = "\\ " if result and not result[-1].isspace() else ""
        after = "\\ " if text and not text[0].isspace() else ""
        result += f"{before}``{code.strip('`')}``{after}" + MARKS.sub(r"\\\1", text)
    return result


def plain_to_markup(lines):
    """The lines of a docstring as reStructuredText."""
    result = []
    in_section = in_example = in_formula = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if SECTION.match(following):
            in_section, in_formula = True, False
        if EXAMPLE.match(line):
            in_example = True
        elif not line.strip():
            in_example = False
        indented = line.startswith("  ")
        if in_example or not line.strip() or SECTION.match(line):
            result.append(line)
        elif indented and not in_section:
            if not in_formula:
                result += ["", "::", ""] if result and result[-1].strip() else ["::", ""]
            in_formula = True
            result.append(line)
        elif in_formula and not in_section:
            in_formula = False
            result += ["", escape(line)] if result[-1].strip() else [escape(line)]
        else:
            result.append(escape(line))
    return result


def process_docstring(app, what, name, obj, options, lines):
    lines[:] = plain_to_markup(lines)


def skip_member(app, what, name, obj, skip, options):
    """Methods that come from scikit-learn unchanged are documented there."""
    generated = name.startswith("set_") and name.endswith("_request")
    foreign = str(getattr(obj, "__module__", "")).startswith("sklearn")
    return True if generated or foreign else None


def setup(app):
    app.connect("autodoc-process-docstring", process_docstring, priority=100)  # before napoleon
    app.connect("autodoc-skip-member", skip_member)
    return {"parallel_read_safe": True}
