// Numerical predicates as JSON: {"kind": "mod", "name": "mod(3,1)", "modulus": 3, "residue": 1}. The expression of a
// user-defined one is a tree written as a list of nodes, children first, each {"op": …, "args": [indices]}: any reader
// evaluates it in one pass, and its depth is not the depth of the JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/predicate.h"

namespace quench::model {

nlohmann::ordered_json predicate_to_json(const Predicate& predicate);

/// Throws IoError; `where` names the place in the document.
Predicate predicate_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace quench::model
