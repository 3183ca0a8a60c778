#pragma once

#include "by_threads.h"
