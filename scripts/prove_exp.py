#!/usr/bin/env python3
"""Proves the figures above src/attention/kernel/tile_exp-inl.h and src/run/structured/kernels/lane_exp.h with sollya (the polynomials) and gappa
(their evaluation).

Takes coefficients and steps from the source, so a change there is seen. Prints bounds on relative errors in units
u = 2^-24 (float) and 2^-53 (double); exits with 1 if one exceeds what the header says.
"""
import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src/attention/kernel/tile_exp-inl.h"
LANE_EXP = ROOT / "src/run/structured/kernels/lane_exp.h"
REDUCED = 0.50001  # |f| after the reduction, with room
CLAIMS = {("float", "polynomial"): 0.062, ("float", "fma"): 1.12, ("float", "without fma"): 1.52,
          ("double", "polynomial"): 0.052, ("double", "fma"): 1.12, ("double", "without fma"): 1.52,
          ("lanes", "polynomial"): 0.048, ("lanes", "evaluation"): 1.33}


def coefficients(type_name):
    body = SOURCE.read_text().split(f"struct ExpConstants<{type_name}>")[1].split("};\n};")[0]
    numbers = body.split("kCoefficients[] = {")[1]
    return [c.strip().rstrip("f") for c in re.findall(r"[^,{}]+", numbers) if c.strip()]


def polynomial_error(coefficient, bits, function="2^x", reduced=REDUCED):
    horner = coefficient[-1]
    for c in reversed(coefficient[:-1]):
        horner = f"{c} + x * ({horner})"
    program = f"print(sup(supnorm({horner}, {function}, [-{reduced};{reduced}], relative, 2^(-20))) * 2^{bits});quit;\n"
    output = subprocess.run(["sollya"], input=program, capture_output=True, text=True, check=True).stdout
    return float(re.findall(r"[0-9.]+e?[-+0-9]*", output.strip().splitlines()[-1])[-1])


def evaluation_error(coefficient, type_name, bits, fused):
    degree = len(coefficient) - 1
    lines = [f"@rnd = float<ieee_{'32' if type_name == 'float' else '64'}, ne>;", "f = rnd(f_);",
             f"s{degree} = {coefficient[-1]}; e{degree} = {coefficient[-1]};"]
    for k in range(degree - 1, -1, -1):
        product = f"s{k + 1} * f" if fused else f"rnd(s{k + 1} * f)"
        lines.append(f"s{k} = rnd({product} + {coefficient[k]}); e{k} = e{k + 1} * f + {coefficient[k]};")
    lines += [f"{{ f in [-{REDUCED},{REDUCED}] -> (s0 - e0) / e0 in ? }}", "$ f in 64;"]
    return gappa_bound(lines, bits)


def gappa_bound(lines, bits):
    result = subprocess.run(["gappa"], input="\n".join(lines), capture_output=True, text=True, check=True)
    bounds = re.findall(r"\{(-?[0-9.e+-]+),", (result.stdout + result.stderr).split("in [")[-1])
    return max(abs(float(b)) for b in bounds) * 2 ** bits


def rounded(expression):
    """Every operation of a C++ expression rounded: (a + b * c) → rnd(a + rnd(b * c)); and the same without rounding."""
    def walk(node):
        if isinstance(node, ast.Name):
            return node.id, "E" + node.id if node.id != "r" else "r"
        if isinstance(node, ast.Constant):
            return (f"{float(node.value).hex()}",) * 2
        left, right = walk(node.left), walk(node.right)
        if isinstance(node.op, ast.Div):  # constants, folded by the compiler
            return ((float(ast.literal_eval(node.left)) / float(ast.literal_eval(node.right))).hex(),) * 2
        sign = "+" if isinstance(node.op, ast.Add) else "*"
        return f"rnd({left[0]} {sign} {right[0]})", f"({left[1]} {sign} {right[1]})"
    return walk(ast.parse(expression.strip(), mode="eval").body)


def lane_steps():
    """The assignments of lane_exp from r2 to sum."""
    body = LANE_EXP.read_text().split("const double r2 =")[1].split("const double power")[0]
    text = re.sub(r"\bconst double\b", "", "r2 =" + body).replace(";", ",")
    return [re.match(r"\s*(\w+)\s*=\s*(.*)", part, re.S).groups() for part in re.split(r",", text) if "=" in part]


def lane_figures():
    reduced, taylor = 0.3466, ["1", "1"]
    lines = ["@rnd = float<ieee_64, ne>;", "r = rnd(r_);"]
    for name, expression in lane_steps():
        with_rounding, exact = rounded(" ".join(expression.split()))
        lines += [f"{name} = {with_rounding};", f"E{name} = {exact};"]
    factorial = 1
    for k in range(2, 14):
        factorial *= k
        taylor.append((1.0 / factorial).hex())
    lines += [f"{{ r in [-{reduced},{reduced}] -> (sum - Esum) / Esum in ? }}", "$ r in 64;"]
    return {"polynomial": polynomial_error(taylor, 53, "exp(x)", reduced), "evaluation": gappa_bound(lines, 53)}


def main():
    good = True
    reports = {}
    for type_name, bits in (("float", 24), ("double", 53)):
        coefficient = coefficients(type_name)
        found = {"polynomial": polynomial_error(coefficient, bits),
                 "fma": evaluation_error(coefficient, type_name, bits, True),
                 "without fma": evaluation_error(coefficient, type_name, bits, False)}
        reports[type_name] = found
    reports["lanes"] = lane_figures()
    for type_name, found in reports.items():
        for name, value in found.items():
            claim = CLAIMS[type_name, name]
            good = good and value <= claim
            print(f"{type_name:<7}{name:<12} {value:.4f} u, claimed {claim} u{'' if value <= claim else ': WRONG'}")
    sys.exit(0 if good else 1)


main()
