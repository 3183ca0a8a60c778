#include "base/text/explain.h"

#include <algorithm>
#include <cctype>

namespace quench {
namespace {

// E0xx: the text of a formula. E1xx: the rule and the options do not fit together. E2xx: the text of a program. E3xx:
// regular expressions and automata. Wxxx: warnings about rules that mean something, but hardly what was meant.
constexpr Explanation kExplanations[] = {
    {"E001", "Invalid UTF-8",
     "The text contains bytes that are not UTF-8. The language itself needs only ASCII; symbols and comments may use "
     "any "
     "character. Save the file as UTF-8.",
     "Q_a & \xff Q_b", "Q_a & Q_b"},
    {"E002", "Unexpected character",
     "This character has no meaning outside quotes. A symbol of the word that is not a letter, a digit or `_` is "
     "written "
     "in single quotes.",
     "Q_a | $", "Q_a | '$'"},
    {"E003", "Unclosed quote",
     "A quoted symbol ends on the line where it begins. The quote itself is written \\' inside quotes.", "Q_a | 'b",
     "Q_a | 'b'"},
    {"E004", "Unknown escape",
     "Inside quotes, a backslash begins one of the escapes \\' \\\" \\\\ \\n \\t and \\u{…}, where the braces hold the "
     "hexadecimal number of a character. The backslash itself is written \\\\.",
     R"('\x')", R"('\\' | '\u{78}')"},
    {"E005", "Missing symbol",
     "`Q_` and `Q[…]` need the symbol that is asked for, and a symbol has at least one character.", "prev Q_",
     "prev Q_a"},
    {"E006", "Operator of another notation",
     "The text uses a sign that other languages have and this one does not. The message names what to write instead. "
     "(`&&`, `||` and `==` are accepted for `&`, `|` and `=`.)",
     "Q_a => Q_b", "Q_a -> Q_b"},
    {"E007", "Too large",
     "Coefficients and constants are integers of 64 bits, from -9223372036854775808 to 9223372036854775807, also after "
     "sums and products have been worked out. The same code reports terms that `let` has made too long to write out.",
     "#<[Q_a] >= 99999999999999999999", "#<[Q_a] >= 999999999999"},
    {"E008", "Malformed count",
     "`#` always begins a count: `#<[φ]` is the number of positions up to here where φ holds, `#>[φ]` from here on, "
     "and "
     "`#[φ]` in the whole word. The formula stands in square brackets. Comments begin with `//`.",
     "#<Q_a >= 1", "#<[Q_a] >= 1"},
    {"E009", "Missing operand",
     "An operator lacks a formula, count or number on one of its sides, or a pair of brackets is empty. A line that "
     "ends "
     "in an operator goes on in the next line.",
     "Q_a & | Q_b", "Q_a & Q_c | Q_b"},
    {"E010", "Missing operator",
     "Two operands stand side by side. Either an operator is missing or misspelt, or a line end or `;` between two "
     "statements. Multiplication is written out: `2*#<[Q_a]`.",
     "Q_a Q_b", "Q_a & Q_b"},
    {"E011", "Unclosed bracket",
     "A bracket is opened and not closed by the end of the statement, or closed by one of another kind. Inside "
     "brackets a "
     "statement may go over several lines, but not beyond `;`, `let` or `pred`.",
     "(Q_a & Q_b", "(Q_a & Q_b)"},
    {"E012", "Closing bracket without an opening one", "There is no open bracket that this one could close.",
     "Q_a & Q_b)", "(Q_a & Q_b)"},
    {"E013", "Unknown name",
     "Nothing of this name is defined, and it is no word of the language. The symbol a is written `Q_a` or `'a'`. A "
     "name "
     "is defined by `let name = …` or `pred name …` before it is used.",
     "a S Q_b", "Q_a S Q_b"},
    {"E014", "Name used before its definition",
     "Definitions are read from top to bottom, and a name cannot be defined by itself. Move the definition up.",
     "let x = !y\nlet y = Q_a\nx", "let y = Q_a\nlet x = !y\nx"},
    {"E015", "Name defined twice", "Every name is defined once: there is no assignment.", "let x = Q_a\nlet x = Q_b\nx",
     "let x = Q_a\nlet y = Q_b\nx | y"},
    {"E016", "Reserved word as a name",
     "These words belong to the language and cannot be defined or used as parameters: true false not and or implies "
     "iff "
     "xor prev next since until S U O H F G W R X Y Z N once historically eventually always weak_prev weak_next "
     "weak_until release odd even mod prime square cube pow2 triangular fibonacci first last let pred Q, and whatever "
     "begins with Q_.",
     "let S = Q_a\nS", "let start = Q_a\nstart"},
    {"E017", "A formula is needed, not a number",
     "Connectives, temporal operators, counts and the result of a rule take formulas, which are true or false. A count "
     "or "
     "a number becomes a formula by comparing it. Numbers are compared with `=`, formulas with `<->`.",
     "#<[Q_a] & Q_b", "#<[Q_a] >= 1 & Q_b"},
    {"E018", "A number is needed, not a formula",
     "Comparisons and arithmetic take numbers. A formula becomes a number by counting where it holds. Formulas are "
     "compared with `<->`, numbers with `=`.",
     "Q_a = Q_b", "Q_a <-> Q_b"},
    {"E019", "Product of counts",
     "Terms are linear: counts are multiplied by numbers and added up. A product of two counts is outside the logic.",
     "#<[Q_a]*#<[Q_b] >= 4", "2*#<[Q_a] + #<[Q_b] >= 4"},
    {"E020", "Chained comparison", "A comparison has two sides. Join two of them with `&`.", "1 <= #<[Q_a] <= 3",
     "1 <= #<[Q_a] & #<[Q_a] <= 3"},
    {"E021", "Argument of a numerical predicate",
     "A numerical predicate is about the position (`odd`) or about one count (`odd(#<[Q_a])`); `odd`, `even` and "
     "`mod(m,r)` also about a sum of counts. None takes a formula.",
     "odd(Q_a)", "odd(#<[Q_a])"},
    {"E022", "Malformed mod",
     "`mod(m,r)` takes two integers, m at least 1. It is true of the numbers that leave the remainder r when divided "
     "by m.",
     "mod(3)", "mod(3,0)"},
    {"E023", "Malformed let", "A definition is `let name = …`, where the right side is a formula or a term.",
     "let x Q_a\nx", "let x = Q_a\nx"},
    {"E024", "Malformed pred",
     "A predicate is a set, `pred p = {1, 4, 9}`, or a condition on one or two parameters, `pred q(x, n) = x*x <= n`: "
     "the "
     "first parameter is the number asked about, the second the length of the word. Conditions are built from integers "
     "with + - * / % and parentheses, comparisons, `and`, `or`, `not`.",
     "pred p = x*x\np", "pred p(x) = x*x > 5\np"},
    {"E025", "Number and condition confused in a predicate",
     "Inside `pred`, arithmetic and comparisons take numbers; `and`, `or`, `not` and the whole right side are "
     "conditions.",
     "pred p(x) = x % 3\np", "pred p(x) = x % 3 = 1\np"},
    {"E026", "No result",
     "A text consists of definitions and of expressions, and the last expression is the rule. This one has none.",
     "let x = Q_a", "let x = Q_a\nx"},
    {"E027", "Symbol that no word can contain",
     "When every symbol of a rule is a single character, a word is read character by character. As soon as one symbol "
     "is "
     "longer, words are written with blanks between the symbols; then a symbol that contains a blank can never occur.",
     "Q_write | ' '", "Q_write | Q_blank"},
    {"E028", "Division outside a predicate",
     "Terms are linear, so they have no `/` and `%`. Remainders of a count are what `mod(m,r)(…)` is for; other "
     "arithmetic "
     "on one count goes into a `pred`.",
     "#<[Q_a] % 2 = 1", "mod(2,1)(#<[Q_a])"},
    {"E029", "Regular expression",
     "A `*` or `+` that nothing follows repeats what stands before it in regular expressions. Here `*` multiplies "
     "counts and `+` adds them, and a rule says what is true of the positions of a word: `Q_a` is the symbol, `H p` is "
     "p at every position so far, `prev p` is p at the position before. a* is `H Q_a`, and a*b* is `H (Q_a & Z Q_a | "
     "Q_b)`. Regular "
     "expressions are rules, too: `--regex 'a*b*'`, or a file that ends in .regex.",
     "Q_a*", "H Q_a"},
    {"E030", "Alphabet",
     "`alphabet {a, b, '('}` says which symbols words have: at least one, separated by commas, those that are not made "
     "of "
     "letters, digits and `_` in quotes. It stands once in a text, and the rule mentions no other symbol.",
     "alphabet {a, b}\nH (Q_a | Q_c)", "alphabet {a, b, c}\nH (Q_a | Q_c)"},

    {"E101", "The recipe does not cover the formula",
     "Every recipe is made for one fragment of the logic, as its theorem says. The message names the first part of the "
     "formula that lies outside, and the recipes that cover the whole formula. `--recipe auto` chooses one.",
     "quench compile -e '#<[Q_a] >= 1' --recipe 18a", "quench compile -e '#<[Q_a] >= 1' --recipe 21"},
    {"E102", "Contradicting options",
     "The recipe that was named does not go with `--sharpen`, `--decoder` or `--digits`: of the paper's recipes those "
     "ending in a sharpen by temperature, those ending in b by positions, 21 and 23 exist only with a temperature, and "
     "only the future-masked ones (13, 16, 18, 21, 23) are decoders. `tight` goes with everything, except that its "
     "decoder has temperature 1, so it is sharpened by positions. Only `tight` has `--digits`.",
     "quench compile -e 'prev Q_a' --recipe 13a --sharpen position", "quench compile -e 'prev Q_a' --sharpen position"},
    {"E103", "The decoder cannot express this",
     "A decoder sees no position after the current one, so it has no `next`, `until` and their relatives, no `#>` and "
     "no `#`. A decoder at temperature 1 (`--decoder`) also has no predicates of counts, and no predicates that "
     "depend on the length of the word; recipes 21 and 23 are decoders with a temperature that have them, and "
     "`--recipe "
     "exact --decoder` has predicates of counts for words up to a length.",
     "quench compile -e 'next Q_a' --decoder", "quench compile -e 'prev Q_a' --decoder"},
    {"E104", "Gamma out of range",
     "The constant γ sets how close soft attention comes to hard attention: the distance is at most 4·exp(-γ), and "
     "must "
     "stay within 1/4 for values to be rounded back to 0 and 1. That takes γ ≥ ln 16, about 2.7726. Scores are "
     "multiples "
     "of γ and must be finite in double precision at every length: γ ≤ 2^700, about 5.26e210.",
     "quench compile -e 'prev Q_a' --gamma 2", "quench compile -e 'prev Q_a' --gamma 3"},
    {"E105", "Unknown recipe",
     "The recipes are auto, paper, tight (also by flavour: tight-position, tight-decoder), exact (exact-decoder), and "
     "the theorems of the paper: "
     "12a 12b 13a 13b 15a 15b 16a 16b 17a 17b 18a 18b 20a 20b 21 22a 22b 23.",
     "quench compile -e 'prev Q_a' --recipe 14", "quench compile -e 'prev Q_a' --recipe 13a"},
    {"E106", "Numbers too large for double precision",
     "Coefficients and constants of a comparison become weights, and sums of as many of them as a word is long must be "
     "exact. A comparison that double precision could not decide for words of at least 256 symbols is refused. `tight` "
     "adds the counts first and allows coefficients that sum to 2^45 where all counts look the same way, to 2^31 where "
     "they look in different directions, and constants of 2^45; the paper's recipes look every count up. Common "
     "factors "
     "are divided out, and what the constant alone decides is not compared at all.",
     "quench compile -e '#<[Q_a] > 9007199254740993*#<[Q_b] + 1'", "quench compile -e '#<[Q_a] > 90071*#<[Q_b] + 1'"},
    {"E107", "Length out of range",
     "The recipes `exact` are made for words up to a length, 2^20 unless `--length` says otherwise. Their scores have "
     "as "
     "many bits as positions, and are exact in float32 up to 2^23.",
     "quench compile -e 'prev Q_a' --recipe exact --length 9999999",
     "quench compile -e 'prev Q_a' --recipe exact --length 1000000"},
    {"E108", "Not certified up to that length",
     "With `--length N` and no `--recipe`, `tight` and `exact` are compiled, in half formats with `--digits` as well, "
     "and the smallest "
     "that is certified up to N in the format (`--dtype`) is taken. Here none is: the notes say how far each one gets, "
     "and the last of them what can be had.",
     "quench compile -e 'odd(#<[Q_a])' --length 9999999", "quench compile -e 'odd(#<[Q_a])' --length 1000000"},
    {"E109", "Modulus too large",
     "`mod(m,r)` of a sum of several counts is put together from the rests of each, so m is at most 256 there. Of one "
     "count it may be any number.",
     "mod(1000,3)(#<[Q_a] + 2*#<[Q_b])", "mod(100,3)(#<[Q_a] + 2*#<[Q_b])"},
    {"E110", "No formula for an automaton",
     "Regular expressions and automata are compiled by a formula that is proved to say the same of every word. A "
     "language "
     "with a group that is not solvable has none (`quench decide` shows the words that generate the group); for others "
     "the "
     "notes say why each strategy gave up, and which limit would have to be raised (--limit NAME=N). Recipe scan needs "
     "no "
     "formula: it takes log N layers for words up to N symbols, and is what you get without --recipe.",
     "quench compile --recipe tight examples/automata/alternating_group_5.dfa",
     "quench compile --recipe scan examples/automata/alternating_group_5.dfa"},
    {"E121", "Too many cases",
     "A score of both positions is a sum over the cases of what is read at i (`Σ x_a(i)·y_a(j)` with exclusive x_a). t "
     "Booleans at i can have 2^t cases. Use a symbol vector, whose cases are as many as its values, or split the "
     "attention.",
     "quench compile many.brasp", "quench compile few.brasp"},
    {"E122", "Integers",
     "B-RASP has Booleans and symbols; this program has a vector of integers, which only S-RASP has. Where 0 and 1 "
     "stand "
     "for truth values, write `false` and `true`.",
     "quench translate -e 'out(i) = pos(i) > 1' --to ltl", "quench translate -e 'out(i) = Q_a(i)' --to ltl"},
    {"E123", "Recipe for a program",
     "The theorems' recipes are for formulas. Programs have recipes of their own, chosen by what they use; --sharpen "
     "position asks for the form with temperature 1, where there is one.",
     "quench compile -e 'out(i) = Q_a(i)' --recipe 12a", "quench compile -e 'out(i) = Q_a(i)'"},
    {"E124", "No translation",
     "B-RASP and LTL define the same rules: Boolean at every position, without counts, integers and numerical "
     "predicates. "
     "What has them, or puts out symbols, has no translation.",
     "quench translate -e '#<[Q_a] >= 2' --to brasp", "quench translate -e 'prev Q_a' --to brasp"},
    {"E125", "Integers of two positions",
     "In the brackets of an attention, integers of i and j are only compared by `A(i) = B(j)`, joined to the rest by "
     "`and` or a comma, where B is a vector or `pos`. Give other expressions a vector of their own.",
     "quench compile -e 'out(i) = rightmost j [true, pos(j) < pos(i)] true : false'",
     "quench compile -e 'out(i) = rightmost j [j < i] true : false'"},
    {"E126", "Numbers too great",
     "Integers are computed with over n, in double, and sums and factors of an S-RASP program may come to 2^30 times "
     "the "
     "length of the word. A greater number may stand alone on one side of a comparison, be chosen, or be stored: no "
     "position is greater than 2^30, so it is greater than all of them, and stored it is n+1.",
     "quench compile -e 'out(i) = psum j [j <= i] 5000000000'", "quench compile -e 'out(i) = pos(i) > 5000000000'"},
    {"E127", "Automaton too large",
     "Recipe `scan` composes the functions from states to states that blocks of a word are. With |Q| states that takes "
     "up "
     "to |Q|² log |Q| hidden units in every layer, fewer where states behave alike or the automaton falls into smaller "
     "ones. Automata of more than 512 states, or more than 50,000 hidden units in a layer, are refused; --limit "
     "scan_states=N and --limit scan_units=N raise that.",
     "quench compile large.dfa", "quench compile small.dfa"},
    {"E128", "Not in an exact program",
     "The recipes `exact` compute with whole numbers; scores and means are quotients of two of them. A network has one "
     "denominator, so all means of a program must be of the same positions: up to i, from i on, or all. Without "
     "`--recipe` "
     "the program has a network for every length.",
     "quench compile -e 'a(i) = mean j [] Q_a(j); b(i) = mean j [j <= i] Q_a(j); out(i) = a(i) - b(i)' --recipe exact",
     "quench compile -e 'b(i) = mean j [j <= i] Q_a(j); out(i) = b(i)' --recipe exact"},
    {"E201", "Malformed definition",
     "A program is a list of definitions, one per line: vectors `name(i) = …`, functions `fun f(x, y) = …`, and "
     "`alphabet {'a', 'b'}`.",
     "out = Q_a(i)", "out(i) = Q_a(i)"},
    {"E202", "Unknown name", "Nothing of this name is defined. Symbols stand in quotes.", "out(i) = in(i) = a",
     "out(i) = in(i) = 'a'"},
    {"E203", "Used before its definition",
     "A definition may only use earlier ones, so that no vector or function is defined by itself.",
     "p(i) = q(i)\nq(i) = p(i)", "p(i) = Q_a(i)\nq(i) = p(i)"},
    {"E204", "Wrong sort",
     "Values are Booleans, symbols, integers, strings or scores. A Boolean counts as 0 or 1 where an integer or a "
     "score is "
     "needed, a symbol as a string of length 1, and a whole number as a score; nothing else is converted.",
     "out(i) = in(i) and true", "out(i) = Q_a(i) and true"},
    {"E205", "Different sorts", "Both sides of a comparison, and both branches of a conditional, have one sort.",
     "out(i) = in(i) = 1", "out(i) = in(i) = '1'"},
    {"E206", "Wrong number of arguments",
     "A function takes as many arguments as it has parameters; a vector is read at one position.",
     "fun f(s, t) = s = t\nout(i) = f(in(i))", "fun f(s, t) = s = t\nout(i) = f(in(i), 'a')"},
    {"E207", "Position",
     "A vector is read at a position variable: `i`, or inside an attention also `j`. A position alone is not a value; "
     "its number is `pos(i)`. A prefix sum looks only at the position it sums over.",
     "s(i) = psum j [j <= i] Q_a(i)", "s(i) = psum j [j <= i] Q_a(j)"},
    {"E208", "Malformed attention",
     "An attention is `rightmost j [j < i, S(i,j)] V(i,j) : D(i)`: a mask (`j < i`, `j <= i`, `j > i`, `j >= i` or "
     "nothing), then conditions, separated by commas.",
     "out(i) = rightmost j Q_a(j) : false", "out(i) = rightmost j [j < i] Q_a(j) : false"},
    {"E209", "Missing default", "If no position fits, an attention has its default value, written after a colon.",
     "out(i) = rightmost j [j < i] Q_a(j)", "out(i) = rightmost j [j < i] Q_a(j) : false"},
    {"E210", "Malformed conditional", "A conditional is `p(i) ? x(i) : y(i)`.", "out(i) = Q_a(i) ? 'b'",
     "out(i) = Q_a(i) ? 'b' : 'c'"},
    {"E211", "Malformed set", "A set of symbols is written `{'a', 'b'}`.", "out(i) = in(i) in 'a'",
     "out(i) = in(i) in {'a'}"},
    {"E212", "Too long",
     "Functions are written out where they are called. Together they came to more than a million operators, or to "
     "calls "
     "nested more than 200 deep. Vectors are computed once: use them for parts that are long.",
     "fun f(p) = p and p\nfun g(p) = f(f(f(f(p))))\nfun h(p) = g(g(g(g(g(g(p))))))\nout(i) = h(Q_a(i))",
     "fun f(p) = p and p\nq(i) = f(Q_a(i))\nout(i) = f(q(i))"},
    {"E213", "No vector", "A program needs a vector to put out: `out`, or the last one.", "fun f(s) = s",
     "fun f(s) = s\nout(i) = f(in(i))"},
    {"E214", "Scores",
     "A score is a decimal number with one to six digits after the point. Scores are only put out: they are added, "
     "multiplied by whole numbers and chosen by `p ? x : y`, but neither compared nor retrieved by attention. A "
     "program "
     "puts out one score vector, or several, one for each of some symbols: `score['a'](i) = …`.",
     "p(i) = 0.5\nout(i) = rightmost j [j < i] p(j) : 0.0",
     "p(i) = rightmost j [j < i] Q_a(j) : false\nout(i) = p(i) ? 0.5 : 0.0"},

    {"E301", "Missing expression",
     "`|` and `&` stand between two expressions, `~` before one, and a text is not empty. The empty word is written "
     "`()`.",
     "ab|", "ab|()"},
    {"E302", "Nothing to repeat",
     "`*`, `+`, `?` and `{m,n}` stand after what they repeat: a symbol, a set, or an expression in brackets. As "
     "symbols of "
     "the word they are written in quotes.",
     "(*a)", "('*' a)"},
    {"E303", "Unclosed bracket", "A bracket is opened and not closed. As a symbol it is written `'('`.", "(ab|c",
     "(ab|c)"},
    {"E304", "Closing bracket without an opening one",
     "There is no open bracket that this one could close. As a symbol it is written `')'`.", "ab)*", "(ab)*"},
    {"E305", "Malformed repetition",
     "A counted repetition is `r{m}` (m times), `r{m,}` (at least m times) or `r{m,n}` (m to n times), with m not "
     "larger "
     "than n.",
     "a{3,2}", "a{2,3}"},
    {"E306", "Malformed set",
     "A set `[abc]` is one of its symbols, `[a-z]` has a range of characters, and `[^ab]` is any symbol but these, "
     "also one "
     "that the expression does not mention. Signs and symbols of several characters stand in quotes.",
     "[z-a]", "[a-z]"},
    {"E307", "Notation of another dialect",
     "Expressions here describe whole words, so there are no anchors, no lazy repetitions, no groups to refer to and "
     "no "
     "classes of characters. A backslash makes a symbol of a sign; signs can also stand in quotes.",
     "^ab$", "ab"},
    {"E308", "Over a limit",
     "The expression is larger than a limit allows, which the message names. Counted repetitions make automata with as "
     "many "
     "states, whatever repeats them.",
     "a{1000000}", "a{100}"},

    {"E321", "Malformed line of an automaton",
     "docs/automata.md describes the text of automata: a line is `alphabet` and symbols, `initial` and states, "
     "`accepting` "
     "and states, or a transition: a state, symbols, and the state they lead to. Readers of other formats use this "
     "code for "
     "lines that are not of their format.",
     "alphabet a b\ninitial 0\naccepting 0\n0 a", "alphabet a b\ninitial 0\naccepting 0\n0 a 0"},
    {"E322", "Unknown symbol", "A transition names a symbol that the `alphabet` line does not list.",
     "alphabet a b\ninitial 0\naccepting 0\n0 c 0", "alphabet a b c\ninitial 0\naccepting 0\n0 c 0"},
    {"E323", "Not deterministic",
     "The first line says `dfa`, but there are two initial states, two transitions with one symbol from one state, or "
     "one "
     "without a symbol. Without that line, or with `nfa`, this is allowed.",
     "dfa\nalphabet a\ninitial 0\naccepting 1\n0 a 0\n0 a 1", "nfa\nalphabet a\ninitial 0\naccepting 1\n0 a 0\n0 a 1"},
    {"E324", "Incomplete automaton", "The text lacks a line that it needs: the symbols or the initial states.",
     "alphabet a\naccepting 0\n0 a 0", "alphabet a\ninitial 0\naccepting 0\n0 a 0"},
    {"E325", "Not an automaton of this kind",
     "The format can say things that do not define a set of finite words: acceptance by infinite words, alternation, "
     "weights, output symbols that differ from the input.",
     "HOA: v1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 2 Inf(0)&Inf(1)\n--BODY--\nState: 0\n[0] 0 {0 1}\n--END--",
     "HOA: v1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[0] 0\n--END--"},
    {"E326", "A formula that is not its automaton",
     "The source of a model that was made from a regular expression or an automaton has its text in lines that begin "
     "with "
     "`//= `, the first of which names its kind (regex, dfa, att, hoa), and then the formula that the weights are made "
     "from. "
     "The two are proved to say the same of every word whenever the text is read, and here they do not.",
     "//= regex\n//= .*a\nQ_b", "//= regex\n//= .*a\nQ_a"},

    {"W001", "Constant",
     "The rule, or a part of it, is true or false at every position of every word, although it mentions symbols or "
     "counts. Every position holds exactly one symbol; counts are not negative; p and !p exclude each other, and `H p` "
     "is "
     "`!O !p`; `p since q` asks for p where q holds, too, and `p S q` does not. Of a small rule without comparisons of "
     "counts the automaton says whether it accepts no word, or every word. A warning: --no-lint silences it.",
     "Q_a since Q_b", "Q_a S Q_b"},
    {"W002", "Nothing to the right of the last position",
     "A word is accepted by the truth of the rule at its last position. There, `G p` and `F p` are p, `p U q` is q and "
     "`X p` is false. \"Always\" over the whole word is `H p`, \"somewhere\" is `O p`. A warning: the rule has a value "
     "at "
     "the other positions too, and `quench run` prints it; --no-lint silences it.",
     "G (Q_a -> F Q_b)", "H (Q_a -> O Q_b)"},
    {"W003", "Symbol of a word that looks mistyped",
     "A word may have symbols that the rule does not mention; none of its `Q_…` is true there. This one differs from a "
     "symbol that the rule mentions by a letter or two, so it may be that one, mistyped. The examples are words of a "
     "rule "
     "with the symbol `request`. A warning: --no-lint silences it, --strict makes an error of every symbol that the "
     "rule "
     "does not mention.",
     "reqest grant", "request grant"},
    {"W004", "Symbol of a word outside the declared alphabet",
     "A rule that declares its alphabet is about words of these symbols. On others it has a value, too: such a symbol "
     "satisfies none of its `Q_…`. The examples are words of a rule with `alphabet {a, b}`. A warning: --no-lint "
     "silences it, --strict makes an error of it.",
     "abc", "abb"},
};

constexpr bool in_order() {
  for (std::size_t k = 1; k < std::size(kExplanations); ++k)
    if (!(kExplanations[k - 1].code < kExplanations[k].code)) return false;
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const Explanation> all_explanations() { return kExplanations; }

const Explanation* explain(std::string_view code) {
  const auto same = [&](const Explanation& entry) {
    return std::equal(code.begin(), code.end(), entry.code.begin(), entry.code.end(), [](char a, char b) {
      return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b));
    });
  };
  const auto at = std::find_if(std::begin(kExplanations), std::end(kExplanations), same);
  return at == std::end(kExplanations) ? nullptr : at;
}

}  // namespace quench
