#!/usr/bin/env python3
"""Proves the figures above src/attention/tile_exp-inl.h with sollya (the polynomial) and gappa (its evaluation).

Takes the coefficients from the source, so a change there is seen. Prints bounds on relative errors in units
u = 2^-24 (float) and 2^-53 (double); exits with 1 if one exceeds what the header says.
"""
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src/attention/tile_exp-inl.h"
REDUCED = 0.50001  # |f| after the reduction, with room
CLAIMS = {("float", "polynomial"): 0.062, ("float", "fma"): 1.12, ("float", "without fma"): 1.52,
          ("double", "polynomial"): 0.052, ("double", "fma"): 1.12, ("double", "without fma"): 1.52}


def coefficients(type_name):
    body = SOURCE.read_text().split(f"struct ExpConstants<{type_name}>")[1].split("};\n};")[0]
    numbers = body.split("kCoefficients[] = {")[1]
    return [c.strip().rstrip("f") for c in re.findall(r"[^,{}]+", numbers) if c.strip()]


def polynomial_error(coefficient, bits):
    horner = coefficient[-1]
    for c in reversed(coefficient[:-1]):
        horner = f"{c} + x * ({horner})"
    program = (f"print(sup(supnorm({horner}, 2^x, [-{REDUCED};{REDUCED}], relative, 2^(-20))) * 2^{bits});quit;\n")
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
    result = subprocess.run(["gappa"], input="\n".join(lines), capture_output=True, text=True, check=True)
    bounds = re.findall(r"\{(-?[0-9.e+-]+),", (result.stdout + result.stderr).split("in [")[-1])
    return max(abs(float(b)) for b in bounds) * 2 ** bits


def main():
    good = True
    for type_name, bits in (("float", 24), ("double", 53)):
        coefficient = coefficients(type_name)
        found = {"polynomial": polynomial_error(coefficient, bits),
                 "fma": evaluation_error(coefficient, type_name, bits, True),
                 "without fma": evaluation_error(coefficient, type_name, bits, False)}
        for name, value in found.items():
            claim = CLAIMS[type_name, name]
            good = good and value <= claim
            print(f"{type_name:<7}{name:<12} {value:.4f} u, claimed {claim} u{'' if value <= claim else ': WRONG'}")
    sys.exit(0 if good else 1)


main()
