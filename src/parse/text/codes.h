// The codes of the parser's diagnostics by name. Their texts are in base/text/explain.cpp.
#pragma once

namespace quench::parse::code {

inline constexpr const char* kInvalidUtf8 = "E001";
inline constexpr const char* kUnexpectedCharacter = "E002";
inline constexpr const char* kUnclosedQuote = "E003";
inline constexpr const char* kBadEscape = "E004";
inline constexpr const char* kMissingSymbol = "E005";
inline constexpr const char* kForeignOperator = "E006";
inline constexpr const char* kTooLarge = "E007";
inline constexpr const char* kMalformedCount = "E008";
inline constexpr const char* kMissingOperand = "E009";
inline constexpr const char* kMissingOperator = "E010";
inline constexpr const char* kUnclosedBracket = "E011";
inline constexpr const char* kUnmatchedBracket = "E012";
inline constexpr const char* kUnknownName = "E013";
inline constexpr const char* kUsedBeforeDefinition = "E014";
inline constexpr const char* kRedefinition = "E015";
inline constexpr const char* kReservedName = "E016";
inline constexpr const char* kFormulaNeeded = "E017";
inline constexpr const char* kTermNeeded = "E018";
inline constexpr const char* kNotLinear = "E019";
inline constexpr const char* kChainedComparison = "E020";
inline constexpr const char* kPredicateArgument = "E021";
inline constexpr const char* kMalformedMod = "E022";
inline constexpr const char* kMalformedLet = "E023";
inline constexpr const char* kMalformedPred = "E024";
inline constexpr const char* kPredicateSort = "E025";
inline constexpr const char* kNoResult = "E026";
inline constexpr const char* kImpossibleSymbol = "E027";
inline constexpr const char* kDivision = "E028";
inline constexpr const char* kRegularExpression = "E029";
inline constexpr const char* kAlphabet = "E030";

// Programs
inline constexpr const char* kMalformedDefinition = "E201";
inline constexpr const char* kUnknownVector = "E202";
inline constexpr const char* kCyclicDefinition = "E203";
inline constexpr const char* kWrongSort = "E204";
inline constexpr const char* kSortsDiffer = "E205";
inline constexpr const char* kWrongArity = "E206";
inline constexpr const char* kPosition = "E207";
inline constexpr const char* kMalformedAttention = "E208";
inline constexpr const char* kMissingDefault = "E209";
inline constexpr const char* kMalformedChoice = "E210";
inline constexpr const char* kMalformedSet = "E211";
inline constexpr const char* kExpansion = "E212";
inline constexpr const char* kNoVector = "E213";
inline constexpr const char* kScore = "E214";

// Regular expressions
inline constexpr const char* kRegexOperand = "E301";
inline constexpr const char* kRegexNothingToRepeat = "E302";
inline constexpr const char* kRegexUnclosed = "E303";
inline constexpr const char* kRegexUnmatched = "E304";
inline constexpr const char* kRegexRepetition = "E305";
inline constexpr const char* kRegexSet = "E306";
inline constexpr const char* kRegexForeign = "E307";
inline constexpr const char* kRegexTooLarge = "E308";

// Automata
inline constexpr const char* kAutomatonLine = "E321";
inline constexpr const char* kAutomatonName = "E322";
inline constexpr const char* kAutomatonNondeterminism = "E323";
inline constexpr const char* kAutomatonIncomplete = "E324";
inline constexpr const char* kAutomatonUnsupported = "E325";
inline constexpr const char* kNotTheAutomaton = "E326";

}  // namespace quench::parse::code
