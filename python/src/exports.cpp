#include <quench/export.h>

#include "arrays.h"
#include "bindings.h"
#include "names.h"

namespace quench::python {
namespace {

nb::object tensor_array(Tensor tensor) {
  auto kept = std::make_unique<Tensor>(std::move(tensor));
  double* const data = kept->data.data();
  if (kept->shape.size() == 1) {
    const std::size_t items = kept->shape[0];
    return array_of<double>(std::move(kept), data, {items});
  }
  const std::size_t rows = kept->shape[0], cols = kept->shape[1];
  return array_of<double>(std::move(kept), data, {rows, cols});
}

nb::dict tensor_arrays(const Model& model) {
  std::vector<Tensor> all = [&] {
    nb::gil_scoped_release release;
    return tensors(model);
  }();
  nb::dict arrays;
  for (Tensor& tensor : all) {
    const std::string name = tensor.name;
    arrays[name.c_str()] = tensor_array(std::move(tensor));
  }
  return arrays;
}

std::vector<File> files_of(const Model& model, const std::string& target, std::size_t context,
                           const std::string& dtype, const std::string& architecture, bool bos) {
  if (architecture != "gpt2" && architecture != "opt")
    throw UserError("there is no architecture of this name; there are gpt2, opt");
  nb::gil_scoped_release release;
  return export_files(model, target, {context, format_named(dtype), architecture == "opt", bos});
}

}  // namespace

void bind_exports(nb::module_& module) {
  module.def("tensors", &tensor_arrays, nb::arg("model"),
             nb::sig("def tensors(model: Model) -> dict[str, numpy.typing.NDArray[numpy.float64]]"));
  module.def("document", &document, nb::arg("model"));
  module.def("export_targets", &export_targets);
  module.def(
      "export_files",
      [](const Model& model, const std::string& target, std::size_t context, const std::string& dtype,
         const std::string& architecture, bool bos) {
        nb::dict files;
        for (const File& file : files_of(model, target, context, dtype, architecture, bos))
          files[file.name.c_str()] = nb::bytes(file.content.data(), file.content.size());
        return files;
      },
      nb::arg("model"), nb::arg("target"), nb::arg("context"), nb::arg("dtype"), nb::arg("architecture"), nb::arg("bos"),
      nb::sig("def export_files(model: Model, target: str, context: int, dtype: str, architecture: str, bos: bool) -> "
              "dict[str, bytes]"));
  module.def(
      "export_folder",
      [](const Model& model, const std::string& target, const std::filesystem::path& folder, std::size_t context,
         const std::string& dtype, const std::string& architecture, bool bos) {
        const std::vector<File> files = files_of(model, target, context, dtype, architecture, bos);
        nb::gil_scoped_release release;
        write_files(folder, files);
      },
      nb::arg("model"), nb::arg("target"), nb::arg("folder"), nb::arg("context"), nb::arg("dtype"),
      nb::arg("architecture"), nb::arg("bos"),
      nb::sig("def export_folder(model: Model, target: str, folder: str, context: int, dtype: str, architecture: str, "
              "bos: bool) -> None"));
}

}  // namespace quench::python
