/**
 * Pipeline of a workload file: AICB writes the rows of one stage, those of a micro-batch once for each of `ga`. Each begins
 * with the embedding, which only the first stage has, and may end with rows of the model's head, which only the last one has.
 * The rows between are the layers of the stage, in `vpp` chunks that stages take in turn. Rows in front of the micro-batches
 * and behind them are of the whole step.
 * Source: aliyun/aicb (SimAI_training_workload_generator), aliyun/SimAI (Layer.cc: 2 vpp ga messages of pp_comm bytes).
 */
import { quote } from '../importer.ts'
import { type ImportLog, type Location, plural } from '../text-input.ts'
import type { WorkloadFile } from './workload-file.ts'

const EMBEDDING = 'embedding_layer'
const OF_HEAD = /^final_/
/** Rows behind the micro-batches. */
const OF_END = /^(?:cross_entropy|optimizer)/

export interface Pipeline {
  readonly stages: number
  readonly chunks: number
  readonly microbatches: number
  /** Bytes that a rank sends to its like in the next stage, and back. */
  readonly sizeBytes: number
  /** Index of the first row of the micro-batches, and of the first behind them. */
  readonly begin: number
  readonly end: number
  /** Rows of each micro-batch, of which the first is the embedding and the last ones are the head. */
  readonly rows: number
  readonly headRows: number
}

/** null after an issue. */
export function pipelineOf({ header, layers }: WorkloadFile, at: Location, log: ImportLog): Pipeline | null {
  const { pp: stages = 1, vpp = 1, pp_comm: sizeBytes = 0 } = header
  const starts = layers.flatMap(({ name }, index) => (name === EMBEDDING ? [index] : []))
  const microbatches = header.ga ?? starts.length
  if (sizeBytes === 0) {
    const hint =
      'write "pp_comm: BYTES" into the first line: 2 x micro-batch x sequence x hidden size, by the ranks of a tensor with sequence parallelism'
    log.issue(at, 'pp_comm', `bytes between two of ${stages} stages`, 'none', hint)
  }
  if (starts.length === 0 || starts.length !== microbatches) {
    const expected = `${Math.max(1, microbatches)} rows ${EMBEDDING}, one at the begin of each micro-batch (ga)`
    log.issue(
      at,
      'layers',
      expected,
      `${starts.length}`,
      'AICB writes them; without them nobody knows which rows repeat',
    )
  }
  if (log.any) return null
  const [begin = 0, second] = starts
  const last = starts.at(-1)!
  const behind = layers.findIndex(({ name }, index) => index > last && OF_END.test(name))
  const end = behind < 0 ? layers.length : behind
  const rows = (second ?? end) - begin
  const isEven = starts.every((start, i) => start === begin + i * rows) && end === begin + microbatches * rows
  const odd = layers.slice(begin, end).findIndex(({ name }, i) => name !== layers[begin + (i % rows)]!.name)
  if (!isEven || odd >= 0) {
    const received = odd >= 0 ? quote(layers[begin + odd]!.name) : plural(end - begin, 'row')
    log.issue(at, 'layers', `${microbatches} micro-batches of ${rows} rows alike`, received)
    return null
  }
  const block = layers.slice(begin, begin + rows).map(({ name }) => name)
  const headRows = block.length - 1 - block.findLastIndex((name) => !OF_HEAD.test(name))
  const own = block.slice(1, block.length - headRows)
  // Megatron's interleaved schedule is for whole rounds of stages.
  const each = own.length / vpp
  const areAlike = Number.isInteger(each) && own.every((name, i) => name === own[i % each])
  const chunks = areAlike && microbatches % stages === 0 ? vpp : 1
  return { stages, chunks, microbatches, sizeBytes, begin, end, rows, headRows }
}

/** First row and end of what a micro-batch does in a chunk of a stage. */
export function rowsOf(
  pipeline: Pipeline,
  microbatch: number,
  chunk: number,
  stage: number,
): readonly [number, number] {
  const { stages, chunks, begin, rows, headRows } = pipeline
  const first = begin + microbatch * rows
  const each = (rows - 1 - headRows) / chunks
  const isFirst = stage === 0 && chunk === 0
  const isLast = stage === stages - 1 && chunk === chunks - 1
  const from = first + 1 + chunk * each
  return [isFirst ? first : from, from + each + (isLast ? headRows : 0)]
}
