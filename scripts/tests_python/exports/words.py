"""The words that an exported model is tried on, as lists of numbers; the number after the last symbol is one that the rule does not
mention.

All words up to a length; random ones; and crafted ones, that are nearly something: accepted words with one symbol changed, and
blocks that repeat but for one symbol. Always the same ones for the same rule and budget.
"""

import itertools
import json
import random
import subprocess
from typing import NamedTuple


class Budget(NamedTuple):
    exhaustive: int
    """All words up to a length, at most 8, so that there are at most so many."""
    random: int
    crafted: int
    longest: int
    """Of random and crafted words."""
    long: int
    """Words of the length below, random and crafted in turn."""
    longest_of_all: int


QUICK = Budget(exhaustive=1_100, random=8, crafted=8, longest=500, long=0, longest_of_all=500)
FULL = Budget(exhaustive=4_000, random=24, crafted=24, longest=500, long=2, longest_of_all=4_096)

SECONDS_TO_FIND_ACCEPTED = 10
LONGEST_ACCEPTED_BY_PROGRAMS = 60
"""Words that a program accepts are searched for one by one."""


def words(quench, rule, symbols, budget, longest_of_all):
    """`rule` is a file. No word is longer than `longest_of_all`."""
    source = random.Random(rule.name)
    found = [*all_words(range(len(symbols) + 1), budget.exhaustive), *all_words(range(len(symbols)), budget.exhaustive)]
    limit = min(budget.longest, longest_of_all)
    lengths = [limit, 2 * limit // 3, limit // 4, limit // 16 + 1]  # few, so that tools get many words of one length at once
    found += [random_word(source, len(symbols), lengths[turn % len(lengths)]) for turn in range(budget.random)]
    found += list(itertools.islice(crafted_words(quench, rule, symbols, source, lengths), budget.crafted))
    if budget.long and longest_of_all > limit:
        near = crafted_words(quench, rule, symbols, source, [longest_of_all])
        found += [next(near) if turn % 2 else random_word(source, len(symbols), longest_of_all) for turn in range(budget.long)]
    return [list(word) for word in dict.fromkeys(map(tuple, found)) if len(word) <= longest_of_all]


def all_words(numbers, most):
    found = []
    for length in range(1, 9):
        if not numbers or len(found) + len(numbers) ** length > most:
            break
        found += itertools.product(numbers, repeat=length)
    return found


def random_word(source, symbols, length):
    """Half of them with symbols that the rule does not mention."""
    choices = symbols + source.randint(0, 1) if symbols else 1
    return [source.randrange(choices) for _ in range(length)]


def crafted_words(quench, rule, symbols, source, lengths):
    """Without end."""
    accepted = {length: accepted_words(quench, rule, symbols, length) for length in {max(lengths), min(60, max(lengths))}}
    known = [word for words_of_a_length in accepted.values() for word in words_of_a_length]
    yield from known
    for turn in itertools.count():
        length = lengths[turn % len(lengths)]
        nearly = source.choice(known) if known and turn % 2 else blocks(source, len(symbols), length)
        yield with_one_changed(source, nearly, len(symbols))


def blocks(source, symbols, length):
    """A block that repeats."""
    block = [source.randrange(max(symbols, 1)) for _ in range(source.randint(1, 6))]
    return (block * (length // len(block) + 1))[:length]


def with_one_changed(source, word, symbols):
    at = source.randrange(len(word))
    return [*word[:at], source.randrange(symbols + 1), *word[at + 1 :]]


def accepted_words(quench, rule, symbols, length):
    """Two of them, if the rule accepts any and they are found soon."""
    if rule.suffix in (".brasp", ".srasp") and length > LONGEST_ACCEPTED_BY_PROGRAMS:
        return []
    command = [quench, "words", rule, "--balanced", "--mentioned", "--count", "4", "--length", str(length), "--jsonl"]
    try:
        printed = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_TO_FIND_ACCEPTED).stdout
    except subprocess.TimeoutExpired:
        return []
    lines = [json.loads(line) for line in printed.splitlines()]
    return [numbers(symbols, line["word"]) for line in lines if line.get("accept")]


def numbers(symbols, text):
    parts = list(text) if single_characters(symbols) else text.split()
    return [symbols.index(part) if part in symbols else len(symbols) for part in parts]


def single_characters(symbols):
    return all(len(symbol) == 1 for symbol in symbols)


def text_of(symbols, word):
    """As the command line reads it."""
    other = next(character for character in "_.~@%&" if character not in symbols)
    return ("" if single_characters(symbols) else " ").join(symbols[one] if one < len(symbols) else other for one in word)
