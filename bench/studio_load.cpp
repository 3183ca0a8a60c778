// The studio under load: `studio_load [CLIENTS [SECONDS]]`, 64 clients for 60 s unless told otherwise. Says what was
// asked, how long answers took and what memory did; ends with 1 if an answer was wrong or missing.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "studio/load.h"
#include "studio/studio.h"

int main(int argc, char** argv) {
  const std::size_t clients = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 64;
  const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 60;
  using namespace quench::studio;
  Studio studio(Options{});
  std::thread server([&] { studio.serve(); });
  std::atomic<bool> done = false;
  std::vector<double> memory;
  std::thread watch([&] {
    for (int k = 0; !done; ++k) {
      if (k % 50 == 0) memory.push_back(memory_megabytes());
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  LoadReport report = run_load(studio.port(), clients, seconds);
  done = true;
  watch.join();
  studio.stop();
  server.join();
  std::printf("%zu clients, %.0f s: %lu answers, %lu wrong, %lu missing, %lu busy\n", clients, seconds, report.answers,
              report.wrong, report.unanswered, report.busy);
  for (auto& [kind, times] : report.milliseconds) {
    std::sort(times.begin(), times.end());
    std::printf("  %-10s %7zu   median %8.2f ms   99%% %8.2f ms   worst %8.2f ms\n", kind.c_str(), times.size(),
                times[times.size() / 2], times[times.size() * 99 / 100], times.back());
  }
  for (const auto& [kind, count] : report.requests)
    if (!report.milliseconds.contains(kind)) std::printf("  %-10s %7lu\n", kind.c_str(), count);
  std::printf("memory, every 5 s:");
  for (const double megabytes : memory) std::printf(" %.0f", megabytes);
  std::printf(" MB; at the end %.0f MB\n", memory_megabytes());
  for (const std::string& mistake : report.mistakes) std::printf("%s\n", mistake.c_str());
  return report.wrong + report.unanswered > 0;
}
