/**
 * SimAI's workload files: a policy with how the GPUs are split, and layers of a training step with compute times and
 * collectives. A stream of words, line ends mean nothing behind the first line.
 *   POLICY [model_parallel_NPU_group: TP] [ep: N] [pp: N] [vpp: N] [ga: N] [all_gpus: N] [checkpoints: COUNT IDS] ... [pp_comm: B]
 *   LAYERS
 *   name dep fwd_ns fwd_type fwd_bytes ig_ns ig_type ig_bytes wg_ns wg_type wg_bytes update_ns
 * Source: aliyun/SimAI, astra-sim-alibabacloud (Workload.cc); aliyun/aicb, which writes them.
 */
import { quote } from '../importer.ts'
import { type ImportLog, type Location, parseWhole, plural, type Token, TokenReader } from '../text-input.ts'

/** Which ranks a collective joins. */
export const GROUP_KINDS = ['TP', 'DP', 'EP', 'DP_EP'] as const
export type GroupKind = (typeof GROUP_KINDS)[number]

const OPERATIONS = {
  ALLREDUCE: 'all-reduce',
  ALLTOALL: 'all-to-all',
  ALLGATHER: 'all-gather',
  REDUCESCATTER: 'reduce-scatter',
  BROADCAST: 'broadcast',
} as const
type OperationWord = keyof typeof OPERATIONS

/** The three parts of a layer's work: forward, gradient of its input, gradient of its weights. */
export const PHASES = ['fwd', 'ig', 'wg'] as const
export type Phase = (typeof PHASES)[number]

export interface LayerCollective {
  /** As it stands in the file. */
  readonly word: string
  readonly operation: (typeof OPERATIONS)[OperationWord]
  readonly group: GroupKind
  readonly sizeBytes: number
}

export interface LayerPart {
  readonly computeNs: number
  /** null: none, or of no bytes. */
  readonly collective: LayerCollective | null
}

export interface Layer {
  readonly name: string
  readonly parts: Readonly<Record<Phase, LayerPart>>
  /** Time of the update after the collective of the weights' gradient. */
  readonly updateNs: number
}

const STEP_POLICY = 'HYBRID_TRANSFORMER_FWD_IN_BCKWD'
const MICRO_POLICY = 'MICRO'
const OTHER_POLICIES: readonly string[] = [
  'DATA',
  'MODEL',
  'HYBRID_DATA_MODEL',
  'HYBRID_MODEL_DATA',
  'HYBRID_DLRM',
  'HYBRID_DLRM_ENHANCED',
  'HYBRID_TRANSFORMER',
  'HYBRID_CUSTOMIZED',
  'DISTRIBUTED_INFERENCE',
]

/** Header words that are followed by a number. */
const NUMBERS = ['model_parallel_NPU_group', 'ep', 'pp', 'vpp', 'ga', 'all_gpus', 'pp_comm'] as const
export type HeaderNumber = (typeof NUMBERS)[number]
/** Header words that are followed by a count and as many numbers. */
const LISTS = ['checkpoints', 'checkpoint_initiates'] as const
/** Time of an operation in ns whose time in ps is exact. */
const NS_MAX = Math.floor(Number.MAX_SAFE_INTEGER / 1000)
const WORDS_OF_LAYER = 12

export interface WorkloadFile {
  readonly isMicro: boolean
  /** Numbers of the header that are there, with their place. */
  readonly header: Readonly<Partial<Record<HeaderNumber, number>>>
  readonly checkpoints: number
  readonly layers: readonly Layer[]
  /** Words behind the last layer. */
  readonly left: { readonly words: number; readonly first: Token } | null
}

/** Reads a file; null after an issue that leaves nothing to go on with. */
export function readWorkload(file: string, text: string, log: ImportLog): WorkloadFile | null {
  const reader = new TokenReader(file, text)
  const policy = reader.next()
  const isMicro = policy?.text === MICRO_POLICY
  if (policy === undefined || (!isMicro && policy.text !== STEP_POLICY)) {
    const isKnown = policy !== undefined && OTHER_POLICIES.includes(policy.text)
    const received = policy === undefined ? 'an empty file' : isKnown ? `the policy ${policy.text}` : quote(policy.text)
    const hint = isKnown ? 'its order of operations is not known here' : ''
    log.issue(policy, 'policy', `${STEP_POLICY} or ${MICRO_POLICY}`, received, hint)
    return null
  }
  const { header, checkpoints } = readHeader(reader, policy.line, log)
  const declared = readNumber(reader, 'layers', 1, Number.MAX_SAFE_INTEGER, log)
  if (declared === null) return null
  const layers: Layer[] = []
  for (; layers.length < declared && !log.any && reader.peek() !== undefined;) layers.push(readLayer(reader, log))
  if (layers.length < declared && !log.any) {
    const hint = 'is the file whole? the number in its second line counts them'
    log.issue(reader.location, 'layers', `${plural(declared, 'row')}, as declared`, `${layers.length}`, hint)
  }
  const first = reader.peek()
  let words = 0
  while (!log.any && reader.next() !== undefined) words++
  return { isMicro, header, checkpoints, layers, left: first === undefined ? null : { words, first } }
}

function readHeader(reader: TokenReader, line: number, log: ImportLog) {
  const header: Partial<Record<HeaderNumber, number>> = {}
  let checkpoints = 0
  for (let word = reader.peek(); word !== undefined && word.line === line && !log.any; word = reader.peek()) {
    reader.next()
    const name = word.text.replace(/:$/, '')
    const number = NUMBERS.find((each) => each === name)
    const list = LISTS.find((each) => each === name)
    if (number !== undefined) {
      // pp_comm is the only one that may be 0.
      const value = readNumber(reader, name, number === 'pp_comm' ? 0 : 1, 2 ** 31, log)
      if (value !== null) header[number] = value
    } else if (list !== undefined) {
      const count = readNumber(reader, name, 0, 2 ** 20, log) ?? 0
      if (list === 'checkpoints') checkpoints = count
      for (let i = 0; i < count && !log.any; i++) readNumber(reader, `${name} ${i + 1} of ${count}`, 0, 2 ** 31, log)
    } else log.issue(word, 'header', [...NUMBERS, ...LISTS].join(', '), quote(word.text))
  }
  return { header, checkpoints }
}

function readLayer(reader: TokenReader, log: ImportLog): Layer {
  const spot = reader.peek()!
  const name = reader.next()!.text
  // Dependencies between layers: SimAI does not use them.
  const dep = reader.next()
  const parts: Partial<Record<Phase, LayerPart>> = {}
  for (const phase of PHASES) parts[phase] = readPart(reader, phase, log)
  const updateNs = readNumber(reader, 'update_ns', 0, NS_MAX, log)
  if (dep === undefined && !log.any) log.issue(spot, 'layer', `a row of ${WORDS_OF_LAYER} words`, quote(name))
  const none: LayerPart = { computeNs: 0, collective: null }
  return { name, parts: { fwd: none, ig: none, wg: none, ...parts }, updateNs: updateNs ?? 0 }
}

function readPart(reader: TokenReader, phase: Phase, log: ImportLog): LayerPart {
  const computeNs = readNumber(reader, `${phase}_ns`, 0, NS_MAX, log) ?? 0
  const word = reader.next()
  const sizeBytes = readNumber(reader, `${phase}_bytes`, 0, Number.MAX_SAFE_INTEGER, log) ?? 0
  if (word === undefined || log.any) return { computeNs, collective: null }
  const collective = collectiveOf(word, phase, sizeBytes, log)
  return { computeNs, collective: sizeBytes === 0 ? null : collective }
}

/** null for NONE, or after an issue. */
function collectiveOf({ text, ...at }: Token, phase: Phase, sizeBytes: number, log: ImportLog): LayerCollective | null {
  const parts = /^([A-Z]+)(?:_([A-Z_]+))?$/.exec(text)
  const [, name = '', suffix] = parts ?? []
  if (text === 'NONE') return null
  const group =
    suffix === undefined ? (phase === 'wg' ? 'DP' : 'TP') : suffix === 'EP' || suffix === 'DP_EP' ? suffix : null
  if (Object.hasOwn(OPERATIONS, name) && group !== null) {
    // Cast: it is one of the keys.
    const operation = OPERATIONS[name as OperationWord]
    return { word: text, operation, group, sizeBytes }
  }
  const known = `NONE, ${Object.keys(OPERATIONS).join(', ')}, alone or with _EP or _DP_EP`
  const hint = text.startsWith('ALLREDUCEALLTOALL') ? 'SimAI sends nothing for it' : ''
  log.issue(at, `${phase}_type`, known, quote(text), hint)
  return null
}

/** The next word as a number; null after an issue. Nothing is read, nor said, after the first issue of a file. */
function readNumber(reader: TokenReader, field: string, least: number, most: number, log: ImportLog): number | null {
  if (log.any) return null
  const word = reader.next()
  // AICB divides some sizes, and writes "6291456.0".
  const value = parseWhole((word?.text ?? '').replace(/\.0+$/, ''))
  if (value !== undefined && value >= least && value <= most) return value
  const at: Location = word ?? reader.location
  log.issue(
    at,
    field,
    `a whole number, ${least} to ${most}`,
    word === undefined ? 'the end of the file' : quote(word.text),
  )
  return null
}
