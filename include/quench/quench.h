// Everything at once (docs/api.md).
#pragma once

#include <quench/answer.h>
#include <quench/attention.h>
#include <quench/certify.h>
#include <quench/compile.h>
#include <quench/decide.h>
#include <quench/error.h>
#include <quench/format.h>
#include <quench/inspect.h>
#include <quench/model.h>
#include <quench/rule.h>
#include <quench/run.h>
#include <quench/verify.h>
