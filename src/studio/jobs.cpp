#include "studio/jobs.h"

#include <quench/error.h>

#include <new>

namespace quench::studio {
namespace {

constexpr std::chrono::milliseconds kBetweenLines(50);

}  // namespace

void Job::look_up() const {
  if (cancelled_ || seconds_left() < 0) throw Cancelled{};
}

void Job::say(const Json& line) {
  {
    const std::scoped_lock lock(mutex_);
    if (!(*write_)(dump(line) + "\n")) cancelled_ = true;
    told_ = Clock::now();
  }
  look_up();
}

void Job::progress(std::uint64_t done, std::uint64_t total) {
  look_up();
  {
    const std::scoped_lock lock(mutex_);
    if (Clock::now() - told_ < kBetweenLines) return;
  }
  say({{"type", "progress"}, {"done", done}, {"total", total}});
}

Json Job::last_line(const std::function<Json(Job&)>& work) {
  try {
    Json line{{"type", "done"}, {"milliseconds", nullptr}};
    line.update(work(*this));
    line["milliseconds"] = milliseconds_since(begin_);
    return line;
  } catch (const Cancelled&) {
    Json line{{"type", "cancelled"}};
    if (!cancelled_) line["reason"] = "seconds";
    return line;
  } catch (...) {
    Json line{{"type", "error"}};
    line.update(refusal_of(std::current_exception()).to_json());
    return line;
  }
}

void Job::run(const WriteLine& write, const Json& start, const std::function<Json(Job&)>& work) {
  write_ = &write;
  Json first{{"type", "start"}, {"job", id}};
  first.update(start);
  const Json last = last_line([&](Job& job) {
    job.say(first);
    return work(job);
  });
  write(dump(last) + "\n");
}

Reply Jobs::stream(Json start, std::function<Json(Job&)> work) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(jobs_, [](const auto& entry) { return entry.second.expired(); });
  if (jobs_.size() >= limits_.jobs)
    throw Refusal{503, "busy", "as much long work as there may be is under way; cancel some, or ask again"};
  const auto job = std::make_shared<Job>(std::to_string(++made_), limits_.job_seconds);
  jobs_[job->id] = job;
  Reply reply{.type = "application/x-ndjson", .body = {}};
  reply.stream = [job, start = std::move(start), work = std::move(work)](const WriteLine& write) {
    job->run(write, start, work);
  };
  return reply;
}

bool Jobs::cancel(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto found = jobs_.find(id);
  const std::shared_ptr<Job> job = found == jobs_.end() ? nullptr : found->second.lock();
  if (job) job->cancel();
  return job != nullptr;
}

void Jobs::cancel_all() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, one] : jobs_)
    if (const std::shared_ptr<Job> job = one.lock()) job->cancel();
}

Refusal refusal_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Refusal& refusal) {
    return refusal;
  } catch (const Error& error) {
    return refused(error.what());
  } catch (const std::bad_alloc&) {
    return {503, "busy", "there is not enough memory for this"};
  } catch (const std::exception& error) {
    return {500, "bug", std::string("this is a mistake of Quench: ") + error.what()};
  } catch (...) {
    return {500, "bug", "this is a mistake of Quench"};
  }
}

}  // namespace quench::studio
