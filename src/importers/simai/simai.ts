/**
 * SimAI's workload files as a program on a star of as many hosts as there are GPUs: one queue pair between two ranks, rings of
 * one channel, direct all-to-all.
 * Source: aliyun/SimAI and aliyun/aicb (workload files), astra-sim's Workload.cc (order of a training step).
 */
import { foundAt, importFindings } from '../../core/findings/index.ts'
import { defineImporter, type Imported, type ImportInput, quote } from '../importer.ts'
import { star } from '../../core/topology/star.ts'
import { congestionOption, roceTransport, starOf } from '../roce-defaults.ts'
import { baseNameOf, ImportLog, nameOf, parseWhole, plural, readRequired } from '../text-input.ts'
import { readTuned, tunerOptions } from '../tuned.ts'
import { groupsOf, type Split } from './groups.ts'
import { simaiProgram } from './program.ts'
import { type Pipeline, pipelineOf } from './pipeline.ts'
import { readServers, type Servers } from './servers.ts'
import { GROUP_KINDS, type LayerCollective, PHASES, readWorkload, type WorkloadFile } from './workload-file.ts'

const GPUS_MAX = 65536
const PASSES_MAX = 1000
/** Operations of all ranks, a limit for the memory: half a gigabyte of text. */
const OPERATIONS_MAX = 4_000_000
/** SimAI sends at least so much in a forward pass. */
const FORWARD_FLOOR_BYTES = 4096

export const simai = defineImporter({
  name: 'simai',
  help: 'workload file of SimAI: the layers of a training step, as a program on a star of hosts',
  source: 'aliyun/SimAI Workload.cc, aliyun/aicb',
  options: [
    { name: 'gpus', help: 'number of GPUs, where the header has no all_gpus' },
    { name: 'passes', help: 'training steps, 1 by default' },
    {
      name: 'topology',
      help: "topology file of SimAI: its servers are hosts with a port for each GPU, and its NVLinks the inside of a host's messages",
      file: true,
    },
    ...tunerOptions,
    congestionOption,
  ],
  import: importSimai,
})

function importSimai(input: ImportInput): Imported {
  const log = new ImportLog()
  const text = readRequired(input, input.path, log, 'a workload file of SimAI') ?? log.stop()
  const file = readWorkload(input.path, text, log) ?? log.stop()
  log.stopIfAny()
  const split = splitOf(input, file, log) ?? log.stop()
  const passes = numberOption(input, 'passes', PASSES_MAX, log) ?? 1
  log.stopIfAny()
  const pipeline =
    split.pp === 1 ? null : (pipelineOf(file, { file: input.path, line: 1, column: 1 }, log) ?? log.stop())
  checkSize(input, file, split, passes, log)
  const tuned = readTuned(input, split.gpus, log)
  log.stopIfAny()
  const goal = simaiProgram(file, { split, pipeline, passes }, tuned)
  noteFile(input, file, split, log)
  if (pipeline !== null) notePipeline(input, pipeline, file, log)
  goal.report(log, 0, { file: input.path })
  const network = networkOf(input, split, log)
  const scenario = {
    name: nameOf(input.path),
    description: `training step of ${baseNameOf(input.path)}`,
    topology: network.topology,
    ...roceTransport(input, log),
    workload: [{ kind: 'graph', goal: goal.lines(), ...network.params, ...tuned?.params(log) }],
  }
  return { scenario, findings: log.findings }
}

/** The servers of the given topology, or a star. */
function networkOf(input: ImportInput, { gpus }: Split, log: ImportLog): Servers {
  const file = input.options['topology']
  if (file === undefined) return { topology: starOf(Math.max(2, gpus), log), params: {} }
  const text = readRequired(input, file, log, 'a topology file of SimAI') ?? log.stop()
  return readServers(file, text, gpus, log) ?? log.stop()
}

/** null after an issue. */
function splitOf(input: ImportInput, { header, isMicro }: WorkloadFile, log: ImportLog): Split | null {
  const given = numberOption(input, 'gpus', GPUS_MAX, log)
  if (log.any) return null
  const { model_parallel_NPU_group: tp = 1, ep = 1, pp = 1, all_gpus: declared } = header
  const at = { file: input.path, line: 1, column: 1 }
  const gpus = given ?? declared
  if (gpus === undefined) {
    log.issue(at, 'all_gpus', 'the number of GPUs', 'none', 'give --gpus')
    return null
  }
  if (gpus > GPUS_MAX) log.issue(at, 'all_gpus', `at most ${GPUS_MAX}`, `${gpus}`)
  else if (pp > 1 && isMicro) log.issue(at, 'pp', '1 with the policy MICRO, whose rows run in turn', `${pp}`)
  else if (gpus % tp !== 0) log.issue(at, 'all_gpus', `a multiple of the ${tp} ranks that share a tensor`, `${gpus}`)
  else if ((gpus / tp) % pp !== 0)
    log.issue(at, 'pp', `a number of stages that divides ${gpus / tp} groups of ${tp} ranks`, `${pp}`)
  else if ((gpus / tp / pp) % ep !== 0)
    log.issue(at, 'ep', `a number that divides ${gpus / tp / pp} data-parallel ranks`, `${ep}`)
  if (log.any) return null
  if (given !== undefined && declared !== undefined && given !== declared) {
    const values = { option: 'gpus', chosen: `${given}`, key: 'all_gpus', written: `${declared}` }
    log.note(foundAt(importFindings.importReplaced, { file: input.path, line: 1 }, values))
  }
  return { gpus, tp, ep, pp }
}

/** undefined: none is given, or an issue. */
function numberOption(input: ImportInput, name: string, most: number, log: ImportLog): number | undefined {
  const text = input.options[name]
  if (text === undefined) return undefined
  const value = parseWhole(text)
  if (value !== undefined && value >= 1 && value <= most) return value
  log.issue(undefined, name, `a whole number, 1 to ${most}`, quote(text))
  return undefined
}

function checkSize(
  input: ImportInput,
  { layers }: WorkloadFile,
  { gpus }: Split,
  passes: number,
  log: ImportLog,
): void {
  // A program for more would be built for minutes, and its star refused then.
  const most = star.params.hosts.max ?? GPUS_MAX
  if (input.options['topology'] === undefined && gpus > most)
    log.issue(
      undefined,
      'all_gpus',
      `at most ${most}, the hosts of a star`,
      `${gpus}`,
      'give the servers with --topology',
    )
  let ofRank = 0
  for (const { parts } of layers)
    for (const phase of PHASES)
      ofRank += (parts[phase].computeNs > 0 ? 1 : 0) + (parts[phase].collective === null ? 0 : 1)
  if (ofRank * gpus * passes <= OPERATIONS_MAX) return
  const received = `${plural(passes, 'pass', 'passes')} of ${ofRank} on ${gpus} GPUs`
  log.issue(undefined, 'layers', `at most ${OPERATIONS_MAX} operations`, received, 'fewer passes, layers or GPUs')
}

function notePipeline(input: ImportInput, pipeline: Pipeline, { header }: WorkloadFile, log: ImportLog): void {
  const { stages, chunks, microbatches, sizeBytes } = pipeline
  const values = { stages, chunks, microbatches, sizeBytes, vpp: header.vpp ?? 1 }
  log.note(importFindings.assumed('simai-pipeline', values, { file: input.path, line: 1 }))
}

function noteFile(input: ImportInput, file: WorkloadFile, split: Split, log: ImportLog): void {
  const subject = { file: input.path }
  const { layers, left, isMicro, checkpoints } = file
  const calls = layers.flatMap(({ parts }) => PHASES.map((phase) => ({ phase, collective: parts[phase].collective })))
  const sizes = Object.fromEntries(GROUP_KINDS.map((kind) => [kind, groupsOf(kind, split)[0]!.ranks.length]))
  const isAlone = ({ group }: LayerCollective): boolean => sizes[group] === 1
  const count = (fits: (collective: LayerCollective, phase: string) => boolean): number =>
    calls.filter(({ phase, collective }) => collective !== null && fits(collective, phase)).length
  const counts = { rank: split.gpus, layer: layers.length, collective: count(() => true) }
  const dialect = isMicro ? 'MICRO' : 'FWD_IN_BCKWD'
  log.note(foundAt(importFindings.importRead, subject, { dialect, counts, hostIds: null }))
  if (left !== null) {
    const { words, first } = left
    const values = { words, first: first.text.slice(0, 60), layers: layers.length }
    log.note(foundAt(importFindings.importWordsLeft, { ...subject, line: first.line }, values))
  }
  const alone = count(isAlone)
  if (alone > 0) log.note(importFindings.adapted('groups-of-one', { collectives: alone }, subject))
  const broadcasts = count((each) => each.operation === 'broadcast' && !isAlone(each))
  if (broadcasts > 0) log.note(importFindings.differs('simai-broadcast', { collectives: broadcasts }, subject))
  const small = count((each, phase) => phase === 'fwd' && each.sizeBytes < FORWARD_FLOOR_BYTES && !isAlone(each))
  if (small > 0) log.note(importFindings.differs('simai-forward-floor', { collectives: small }, subject))
  if (isMicro && layers.length > 1) log.note(importFindings.differs('simai-micro', { rows: layers.length }, subject))
  if (checkpoints > 0) {
    const values = { names: ['checkpoints'], instead: 'no forward is done again in the backward pass' }
    log.note(foundAt(importFindings.importNotCarriedOver, { ...subject, line: 1 }, values))
  }
}
