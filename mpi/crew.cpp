#include "mpi/crew.h"

#include <mpi.h>
#include <tbb/global_control.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace quench::mpi {
namespace {

using namespace std::chrono_literals;
using campaign::Work;

constexpr auto kPause = 200us;
enum Tag : int { kReady = 1, kResult, kPiece, kStop };

int ranks() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

void broadcast(std::string& text) {
  std::uint64_t size = text.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  text.resize(size);
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, MPI_COMM_WORLD);
}

/// What a rank found in a piece, as it travels.
struct Found {
  std::uint64_t piece = 0;
  double seconds = 0;
  nlohmann::json result;

  std::string text() const { return nlohmann::json{piece, seconds, result}.dump(); }
  static Found from(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    return {json.at(0).get<std::uint64_t>(), json.at(1).get<double>(), json.at(2)};
  }
};

Found timed(const Work& work, std::uint64_t piece) {
  const auto start = std::chrono::steady_clock::now();
  nlohmann::json result = work.run(piece);
  return {piece, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), std::move(result)};
}

/// The pieces that are left; asked by rank 0's two threads.
class Queue {
 public:
  explicit Queue(const std::vector<std::uint64_t>& pieces) : pieces_(pieces) {}
  std::optional<std::uint64_t> next() {
    const std::lock_guard lock(mutex_);
    if (closed_ || next_ == pieces_.size()) return std::nullopt;
    return pieces_[next_++];
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }

 private:
  const std::vector<std::uint64_t>& pieces_;
  std::size_t next_ = 0;
  bool closed_ = false;
  std::mutex mutex_;
};

/// Rank 0's own pieces.
class OwnThread {
 public:
  OwnThread(const Work& work, Queue& queue) : thread_([this, &work, &queue] { run(work, queue); }) {}

  bool done() {
    const std::lock_guard lock(mutex_);
    return done_ && found_.empty();
  }
  std::optional<Found> found() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    if (found_.empty()) return std::nullopt;
    Found first = std::move(found_.front());
    found_.pop_front();
    return first;
  }

 private:
  void run(const Work& work, Queue& queue) {
    try {
      while (const auto piece = queue.next()) {
        Found found = timed(work, *piece);
        const std::lock_guard lock(mutex_);
        found_.push_back(std::move(found));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
  }

  std::mutex mutex_;
  std::deque<Found> found_;
  std::exception_ptr failure_;
  bool done_ = false;
  std::jthread thread_;  // last: it uses the others
};

/// A message to rank 0.
struct Message {
  int rank = 0, tag = 0;
  std::string text;
};
Message received(const MPI_Status& status) {
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  Message message{status.MPI_SOURCE, status.MPI_TAG, std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Recv(message.text.data(), size, MPI_CHAR, message.rank, message.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return message;
}
/// What has arrived, if anything has.
std::optional<Message> received() {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (!there) return std::nullopt;
  return received(status);
}
/// Waits for it.
Message next_message() {
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  return received(status);
}

void send_piece(int rank, std::uint64_t piece) { MPI_Send(&piece, 1, MPI_UINT64_T, rank, kPiece, MPI_COMM_WORLD); }
void send_stop(int rank) { MPI_Send(nullptr, 0, MPI_UINT64_T, rank, kStop, MPI_COMM_WORLD); }

}  // namespace

RankCrew::RankCrew() : others_(ranks() - 1) {}

RankCrew::~RankCrew() {
  std::string no_work;
  if (!told_)
    broadcast(no_work);
  else
    for (; others_ > 0; --others_) send_stop(next_message().rank);
}

void RankCrew::work(const Work& work, const std::vector<std::uint64_t>& pieces, const Take& take,
                    const std::function<bool()>& stopped) {
  const tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
  std::string document = work.document();
  broadcast(document);
  told_ = true;
  Queue queue(pieces);
  std::optional<OwnThread> own;
  std::exception_ptr failure;
  // Whatever goes wrong here, the others are let go, one after the other as they ask.
  const auto guarded = [&](auto step) {
    try {
      step();
    } catch (...) {
      if (!failure) failure = std::current_exception();
      queue.close();
    }
  };
  guarded([&] {
    if (!spare_first_ || others_ == 0) own.emplace(work, queue);
  });
  while (others_ > 0 || (own && !own->done())) {
    bool idle = true;
    if (stopped()) queue.close();
    guarded([&] {
      if (const auto found = own ? own->found() : std::nullopt) {
        idle = false;
        take(found->piece, found->result, found->seconds);
      }
    });
    if (const auto message = received()) {
      idle = false;
      if (const auto piece = queue.next())
        send_piece(message->rank, *piece);
      else
        send_stop(message->rank), --others_;
      if (message->tag == kResult)
        guarded([&] {
          const Found found = Found::from(message->text);
          take(found.piece, found.result, found.seconds);
        });
    }
    if (idle) std::this_thread::sleep_for(kPause);
  }
  if (failure) std::rethrow_exception(failure);
}

void serve(const std::function<std::unique_ptr<Work>(const std::string&)>& make) {
  const tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
  std::string document;
  broadcast(document);
  if (document.empty()) return;
  const std::unique_ptr<Work> work = make(document);
  MPI_Send(nullptr, 0, MPI_CHAR, 0, kReady, MPI_COMM_WORLD);
  for (;;) {
    std::uint64_t piece = 0;
    MPI_Status status;
    MPI_Recv(&piece, 1, MPI_UINT64_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStop) return;
    const std::string text = timed(*work, piece).text();
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, kResult, MPI_COMM_WORLD);
  }
}

}  // namespace quench::mpi
