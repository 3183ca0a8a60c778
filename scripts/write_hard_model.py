#!/usr/bin/env python3
"""Writes a hard-attention model as a model file of quench: write_hard_model.py DESCRIPTION.json MODEL.safetensors

Needs nothing but the standard library. The description is explained, with an example, in docs/model-format.md.
"""
import ast
import json
import math
import operator
import struct
import sys

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.Pow: operator.pow, ast.USub: operator.neg, ast.UAdd: operator.pos}
FUNCTIONS = {"sqrt": math.sqrt, "cos": math.cos, "sin": math.sin, "log": math.log, "exp": math.exp}

# What a description may ask for: a few characters of it can name more numbers than there is memory for.
LONGEST_EXPRESSION = 1000  # characters
MOST_NUMBERS = 10_000_000  # weights and table values


class Mistake(Exception):
    """Something in the description; the message says where."""


def number(value, where, variables={}):
    """A number, or an expression as text: "sqrt(1/i)", "cos(2*pi*i/16)"."""
    def evaluate(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return float(node.value)  # powers of whole numbers have no bound, those of floats overflow
        if isinstance(node, ast.Name) and node.id in variables:
            return variables[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](evaluate(node.left), evaluate(node.right))
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](evaluate(node.operand))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            return FUNCTIONS[node.func.id](*[evaluate(argument) for argument in node.args])
        raise Mistake(f"{where}: cannot read {ast.unparse(node)!r} as a number")

    variables = {"pi": math.pi, **variables}
    if isinstance(value, str) and len(value) > LONGEST_EXPRESSION:
        raise Mistake(f"{where}: an expression of {len(value)} characters; at most {LONGEST_EXPRESSION} are read")
    try:
        result = float(evaluate(ast.parse(value, mode="eval").body) if isinstance(value, str) else value)
    except Mistake:
        raise
    except (SyntaxError, TypeError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        raise Mistake(f"{where}: cannot read {value!r} as a number ({error})")
    if not math.isfinite(result):
        raise Mistake(f"{where}: {value!r} is not a finite number")
    return result


class Writer:
    def __init__(self, description):
        self.description = description
        self.coordinates = {name: index for index, name in enumerate(self.get("coordinates"))}
        if len(self.coordinates) != len(description["coordinates"]):
            raise Mistake("coordinates: a name occurs twice")
        self.width = len(self.coordinates)
        self.symbols = self.get("symbols")
        self.tensors = []  # (name, shape, values)
        self.numbers = 0  # made so far

    def get(self, key):
        if key not in self.description:
            raise Mistake(f"the description has no {key!r}")
        return self.description[key]

    def count(self, numbers, where):
        self.numbers += numbers
        if self.numbers > MOST_NUMBERS:
            raise Mistake(f"{where}: the model would have more than {MOST_NUMBERS} numbers")

    def coordinate(self, name, where):
        if name not in self.coordinates:
            raise Mistake(f"{where}: there is no coordinate {name!r}")
        return self.coordinates[name]

    def row(self, weights, where):
        """{"coordinate": weight, …} as a list of width numbers."""
        self.count(self.width, where)
        row = [0.0] * self.width
        for name, weight in weights.items():
            row[self.coordinate(name, where)] += number(weight, f"{where}[{name!r}]")
        return row

    def matrix(self, name, rows, cols):
        self.tensors.append((name, [len(rows), cols], [value for row in rows for value in row]))

    def embedding(self):
        given = dict(self.get("embedding"))
        rest = given.pop("*", {})
        unknown = set(given) - set(self.symbols)
        if unknown:
            raise Mistake(f"embedding: {sorted(unknown)[0]!r} is not among the symbols; '*' stands for all others")
        rows = [self.row(given.get(symbol, rest), f"embedding[{symbol!r}]") for symbol in self.symbols]
        self.matrix("embedding", rows + [self.row(rest, "embedding['*']")], self.width)

    def positions(self):
        result = []
        for entry in self.description.get("positions", []):
            where = f"positions[{entry.get('coordinate')!r}]"
            encoding = {"coordinate": self.coordinate(entry.get("coordinate"), where), "formula": entry.get("formula")}
            if encoding["formula"] == "table":
                values = entry.get("values")
                length = entry.get("length", 0) if isinstance(values, str) else len(values)
                if not isinstance(length, int) or length < 1:
                    raise Mistake(f"{where}: a table has a length of at least 1")
                self.count(length, where)
                if isinstance(values, str):
                    values = [number(values, where, {"i": float(i)}) for i in range(1, length + 1)]
                encoding["values"] = [number(value, where) for value in values]
            if "predicate" in entry:
                encoding["predicate"] = entry["predicate"]
            result.append(encoding)
        return result

    def head(self, head, where, tensor):
        # Scores are divided by the root of d_k; with d_k padded to a power of four and that root in q they are exactly
        # the products that the description gives.
        q, k = head.get("q", []), head.get("k", [])
        v, o = head.get("v", []), head.get("o", [])
        if len(q) != len(k):
            raise Mistake(f"{where}: q has {len(q)} rows and k has {len(k)}")
        if len(v) != len(o) or not v:
            raise Mistake(f"{where}: v has {len(v)} rows and o has {len(o)}; one each per value, and at least one")
        root = 1
        while root * root < len(q):
            root *= 2
        for name, rows, factor in (("q", q, root), ("k", k, 1)):
            dense = [[factor * value for value in self.row(row, f"{where}.{name}")] for row in rows]
            dense += [self.row({}, where) for _ in range(root * root - len(rows))]
            self.matrix(f"{tensor}.{name}", dense, self.width)
        self.matrix(f"{tensor}.v", [self.row(row, f"{where}.v") for row in v], self.width)
        out = [self.row(row, f"{where}.o") for row in o]
        self.matrix(f"{tensor}.o", [[row[c] for row in out] for c in range(self.width)], len(o))
        weighting = head.get("weighting", "ahardmax")
        return {"name": head.get("name", ""), "mask": head.get("mask", "none"), "temperature": "1",
                "weighting": weighting, "intended": weighting, "claim": {"structure": "", "lemma": "", "gamma": 0.0}}

    def layers(self):
        result = []
        for index, layer in enumerate(self.get("layers")):
            heads = [self.head(head, f"layer {index}, head {h}", f"layers.{index}.heads.{h}")
                     for h, head in enumerate(layer.get("heads", []))]
            units, where = layer.get("ffn", []), f"layer {index}, ffn"
            w2 = [self.row(unit.get("out", {}), where) for unit in units]
            self.matrix(f"layers.{index}.ffn.w1", [self.row(unit.get("in", {}), where) for unit in units], self.width)
            bias = [number(unit.get("bias", 0), where) for unit in units]
            self.tensors.append((f"layers.{index}.ffn.b1", [len(units)], bias))
            self.matrix(f"layers.{index}.ffn.w2", [[row[c] for row in w2] for c in range(self.width)], len(units))
            self.tensors.append((f"layers.{index}.ffn.b2", [self.width], self.row(layer.get("bias", {}), where)))
            result.append({"heads": heads})
        return result

    def output(self):
        output = self.get("output")
        if output.get("kind") != "string":
            return {"kind": output.get("kind", "boolean"), "coordinate": self.coordinate(output.get("coordinate"), "output")}
        cases = [{"coordinate": self.coordinate(case["coordinate"], "output"), "symbols": case["symbols"]}
                 for case in output["cases"]]
        return {"kind": "string", "coordinate": cases[0]["coordinate"], "cases": cases}

    def document(self):
        self.embedding()
        positions, layers = self.positions(), self.layers()
        tenants = [{"coordinate": index, "name": name, "from": 0, "to": 2 * len(layers), "boolean": False,
                    "low": None, "high": None} for name, index in self.coordinates.items()]
        return {"version": 1, "symbols": self.symbols, "width": self.width, "position_encodings": positions,
                "layers": layers, "output": self.output(), "tenants": tenants,
                "source": self.description.get("source", ""), "recipe": "by hand",
                "logic": self.description.get("logic", ""), "certificate": None}


def model_bytes(description):
    writer = Writer(description)
    document = json.dumps(writer.document(), ensure_ascii=False)
    header, offset, data = {"__metadata__": {"format": "quench", "quench": document}}, 0, b""
    for name, shape, values in writer.tensors:
        content = struct.pack(f"<{len(values)}d", *values)
        header[name] = {"dtype": "F64", "shape": shape, "data_offsets": [offset, offset + len(content)]}
        offset += len(content)
        data += content
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-(8 + len(text)) % 8)
    return struct.pack("<Q", len(text)) + text + data


def complain(text, code):
    print(text, file=sys.stderr)
    return code


def main(arguments):
    """0 done, 2 a mistake in the description or the arguments, 3 files, as quench itself."""
    if len(arguments) != 3:
        return complain(__doc__.splitlines()[0], 2)
    try:
        with open(arguments[1], encoding="utf-8") as file:
            content = model_bytes(json.load(file))
    except OSError as error:
        return complain(f"{arguments[1]}: {error.strerror}", 3)
    except KeyError as error:
        return complain(f"{arguments[1]}: {error} is missing", 2)
    except RecursionError:
        return complain(f"{arguments[1]}: it is nested too deeply", 2)
    except (Mistake, ValueError, AttributeError, TypeError) as error:
        return complain(f"{arguments[1]}: {error}", 2)
    try:
        with open(arguments[2], "wb") as file:
            file.write(content)
    except OSError as error:
        return complain(f"{arguments[2]}: {error.strerror}", 3)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
