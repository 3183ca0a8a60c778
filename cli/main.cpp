#include <cstdio>

int main() {
  std::puts("quench " QUENCH_VERSION);
  return 0;
}
