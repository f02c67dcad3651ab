/**
 * Findings on imports of programs of AI training: traces and workload files whose operations wait for each other.
 */
import { exactCount } from '../../base/format.ts'
import { defineFinding } from '../finding.ts'
import { counted } from '../words.ts'

export const importWordsLeft = defineFinding<{ words: number; first: string; layers: number }>({
  id: 'import-words-left',
  severity: 'warning',
  meaning: 'A workload file goes on after the layers that it declares. The rest is not read.',
  source: '',
  remedy: 'correct the number of layers, or delete the rest',
  text: ({ words, first, layers }) =>
    `${counted(words, 'word')} from "${first}" on not read: the file declares ${counted(layers, 'layer')}`,
  advice: () => '',
})

export const importDependencies = defineFinding<{ absent: number; unused: number }>({
  id: 'import-dependencies',
  severity: 'note',
  meaning: 'Control dependencies of a trace that bind nothing in the scenario.',
  source: 'mlcommons/chakra, et_def.proto',
  remedy: '--control-deps bind uses those on nodes of the trace',
  text: ({ absent, unused }) => {
    const parts = [
      ...(absent === 0 ? [] : [`${exactCount(absent)} on absent nodes dropped`]),
      ...(unused === 0 ? [] : [`${exactCount(unused)} not used`]),
    ]
    return `control dependencies: ${parts.join(', ')}`
  },
  advice: ({ unused }) => (unused === 0 ? '' : 'give --control-deps bind if they should bind'),
})

export const importUnsized = defineFinding<{ collectives: number }>({
  id: 'import-unsized',
  severity: 'warning',
  meaning: 'Collectives of a trace whose size is not known. They take the time that was recorded, and send nothing.',
  source: '',
  remedy: 'convert the trace with sizes (comm_size)',
  text: ({ collectives }) =>
    `${counted(collectives, 'collective')} without comm_size: the recorded time passes, and nothing is sent`,
  advice: () => '',
})

export const importTuned = defineFinding<{
  rows: readonly { readonly line: number; readonly collectives: number }[]
  withoutEffect: readonly number[]
}>({
  id: 'import-tuned',
  severity: 'note',
  meaning: 'Rows of a tuner file of NCCL that chose for collectives of the import, once for each rank.',
  source: 'NCCL, plugins/tuner/example',
  remedy: 'compare with the rows that were meant to choose',
  text: ({ rows, withoutEffect }) => {
    const chosen =
      rows.length === 0
        ? 'no row fits a collective'
        : `chosen by ${rows.map(({ line, collectives }) => `line ${line} for ${counted(collectives, 'operation')}`).join(', ')}`
    const none =
      withoutEffect.length === 0
        ? ''
        : `; no effect of line ${withoutEffect.join(', ')}: NCCL has no such algorithm of that collective`
    return `${chosen}${none}`
  },
  advice: () => '',
})
