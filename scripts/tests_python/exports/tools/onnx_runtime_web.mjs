// onnx_runtime_web.mjs NODE_MODULES: reads lines {"load": path} and {"words": [[number, …], …]}, and answers each with a line.
import {createInterface} from 'node:readline';
import {pathToFileURL} from 'node:url';

const ort = await import(pathToFileURL(`${process.argv[2]}/onnxruntime-web/dist/ort.node.min.mjs`).href)
  .catch(() => import(pathToFileURL(`${process.argv[2]}/onnxruntime-web/dist/ort.wasm.min.mjs`).href));
ort.env.wasm.numThreads = 1;
let session = null;

async function load(path) {
  if (session) await session.release();
  session = await ort.InferenceSession.create(path, {executionProviders: ['wasm']});
  return true;
}

// Nested arrays, as the shape says.
function nested(data, shape) {
  if (shape.length === 1) return Array.from(data, Number);
  const size = data.length / shape[0];
  return Array.from({length: shape[0]}, (_, at) => nested(data.subarray(at * size, (at + 1) * size), shape.slice(1)));
}

async function answers(words) {
  const flat = BigInt64Array.from(words.flat(), BigInt);
  const ids = new ort.Tensor('int64', flat, [words.length, words[0].length]);
  const found = (await session.run({input_ids: ids})).answers;
  return nested(found.data, found.dims);
}

for await (const line of createInterface({input: process.stdin})) {
  const asked = JSON.parse(line);
  console.log(JSON.stringify(asked.load ? await load(asked.load) : await answers(asked.words)));
}
