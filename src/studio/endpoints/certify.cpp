// /api/certify: up to which length the network is provably right, format by format.
#include <algorithm>

#include "studio/desk.h"

namespace quench::studio {
namespace {

std::vector<Format> formats_asked(const Desk& desk, Fields& fields) {
  std::vector<Format> formats;
  for (const std::string& name : fields.texts("formats")) formats.push_back(format_of(name));
  if (formats.empty()) formats = usual_formats();
  if (formats.size() > desk.limits.certify_formats)
    throw over_limit("so many formats at once are too many", "certify_formats", desk.limits.certify_formats,
                     formats.size());
  return formats;
}

/// The head that a certificate names, "1.0 stored_1", if the network has it.
Json head_named(const KeptModel& kept, const std::string& limiting) {
  const std::string first = limiting.substr(0, limiting.find(' '));
  try {
    const HeadIndex index = head_index(first);
    const std::vector<NetworkLayer>& layers = kept.inspection.network.layers;
    if (index.layer < layers.size() && index.head < layers[index.layer].heads.size()) return first;
  } catch (const Refusal&) {  // it names something else
  }
  return nullptr;
}

Json entries_json(const KeptModel& kept, const Certificate& certificate) {
  Json result = Json::array();
  for (const CertificateEntry& entry : certificate.entries())
    result.push_back({{"summation", name_of(entry.summation)},
                      {"length", entry.length},
                      {"unlimited", entry.length >= kNoLimit},
                      {"limiting_head", entry.limiting_head},
                      {"head", head_named(kept, entry.limiting_head)},
                      {"reason", entry.reason}});
  return result;
}

}  // namespace

Reply certify(Desk& desk, Fields& fields) {
  const std::shared_ptr<KeptModel> kept = desk.models.get(fields.text("model"));
  const std::vector<Format> formats = formats_asked(desk, fields);
  fields.done();
  return desk.jobs.stream({{"total", formats.size()}}, [kept, formats](Job& job) {
    for (const Format format : formats) {
      const Clock::time_point begin = Clock::now();
      const Certificate certificate = quench::certify(kept->inspection.model, {format});
      Json line{{"type", "format"}, {"format", name_of(format)}, {"milliseconds", milliseconds_since(begin)}};
      line["entries"] = entries_json(*kept, certificate);
      job.say(line);
    }
    kept->learn(quench::certify(kept->inspection.model, formats));
    return Json::object();
  });
}

}  // namespace quench::studio
