/** Logs rebuilt from published measurements: what an expert would say of each, and what nobody may say. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { expectText } from '../answers/expect-text.ts'
import { expectationOf, type PartId, type Verdict } from './index.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared')
const FOLDER = path.join(SHARED, 'data', 'expect')
const isThere = existsSync(FOLDER)
if (!isThere) process.stderr.write(`no samples of measured logs: ${FOLDER} is not there\n`)

interface Case {
  /** Logs of the same time; absent: each for itself. */
  readonly groups?: readonly (readonly string[])[]
  /** By log: verdict and part; null: nothing explains it. */
  readonly answers: Readonly<Record<string, readonly [Verdict, PartId | null]>>
  /** Ids of things seen, in any log. */
  readonly seen?: readonly string[]
  /** Words that may not be in the answer. */
  readonly not: RegExp
}

const CASES: Readonly<Record<string, Case>> = {
  '01-nccl-ring-4x200-as-expected': { answers: { 'nccl.log': ['as-expected', 'link'] }, not: /slow|ECMP/i },
  '02-nccl-24-ranks-as-expected': {
    answers: { 'nccl.log': ['as-expected', 'link'] },
    seen: ['mean-of-other-rows'],
    not: /below expect/i,
  },
  '04-nccl-one-nics-worth': {
    answers: { 'nccl.log': ['far-below', 'nics-used'] },
    seen: ['flat', 'share-of-nic', 'mean-of-other-rows'],
    not: /congestion|PFC|ECMP/i,
  },
  '05-nccl-collapse-from-64-mib': {
    answers: { 'nccl.log': ['cannot-tell', null] },
    seen: ['collapse'],
    not: /\d to \d+ GB/,
  },
  '07-nccl-h20-dip': { answers: { 'nccl.log': ['below', 'algorithm'] }, seen: ['dip'], not: /buffer|\bloss/i },
  '08-perftest-1-and-8-qps': {
    answers: {
      'w-16k-q1.log': ['as-expected', 'queue-pair'],
      'w-128k-q1.log': ['as-expected', 'link'],
      'w-16k-q8.log': ['as-expected', 'link'],
      'w-128k-q8.log': ['as-expected', 'link'],
      'w-1m-q8.log': ['as-expected', 'link'],
      'w-1m-q1.log': ['below', null],
    },
    seen: ['passed'],
    not: /\bloss|packets are lost/i,
  },
  '10-perftest-lossy-trunk': {
    groups: [['flow-1.log', 'flow-2.log'], ['counters.txt']],
    answers: { 'flow-1.log': ['as-expected', 'trunk-loss'], 'flow-2.log': ['as-expected', 'trunk-loss'] },
    seen: ['counter-grew'],
    not: /\b6(?:\.\d+)? Gbps/,
  },
  '11-perftest-throttled-nic': {
    answers: { 'slow.log': ['far-below', 'nic'] },
    seen: ['no-fabric'],
    not: /PFC|replace the cable/i,
  },
  '13-perftest-mib': { answers: { 'w.log': ['as-expected', 'link'] }, not: /93\.8/ },
  '14-perftest-duration-and-rate': {
    answers: { 'w.log': ['cannot-tell', 'posting'] },
    seen: ['seconds-counted'],
    not: /3\.75/,
  },
  '16-perftest-pix-phb': {
    groups: [['pix.log'], ['phb.log'], ['phb2-a.log', 'phb2-b.log'], ['pixphb-a.log', 'pixphb-b.log']],
    answers: {
      'pix.log': ['as-expected', 'link'],
      'phb.log': ['as-expected', 'host-path'],
      'phb2-a.log': ['as-expected', 'host-path'],
      'phb2-b.log': ['as-expected', 'host-path'],
      'pixphb-a.log': ['far-below', null],
      'pixphb-b.log': ['far-below', null],
    },
    not: /ECMP|replace the cable/i,
  },
  '17-perftest-incast-collapse': {
    groups: [['alone.log'], ['a.log', 'b.log']],
    answers: {
      'alone.log': ['as-expected', 'link'],
      'a.log': ['far-below', 'receiver-loss'],
      'b.log': ['far-below', 'receiver-loss'],
    },
    not: /12\.5 Gbps/,
  },
  '19-perftest-json': { answers: { 'perf.json': ['as-expected', 'pcie'] }, seen: ['unit-inferred'], not: /half of/i },
  '20-rtt-through-a-switch': {
    answers: { 'rtt.txt': ['as-expected', 'nic'] },
    seen: ['switch-time'],
    not: /congestion/i,
  },
}

test.skipIf(!isThere)('there are fourteen samples, each with its answer here', () => {
  const names = readdirSync(FOLDER).filter((name) => existsSync(path.join(FOLDER, name, 'expected.json')))
  expect(names.toSorted()).toEqual(Object.keys(CASES))
})

test.skipIf(!isThere).each(Object.entries(CASES))('%s', (name, { groups, answers, seen = [], not }) => {
  const textOf = (file: string): string => readFileSync(path.join(FOLDER, name, file), 'utf8')
  const logs = groups ?? Object.keys(answers).map((file) => [file])
  const asked = logs.map((group) => group.map((file) => ({ file, text: textOf(file) })))
  const expectation = expectationOf({ groups: asked, fabric: textOf('fabric.txt') })
  const found = expectation.answers.flatMap(({ files, verdict, part }) =>
    files.map((file) => [file, [verdict, part]] as const),
  )
  expect(Object.fromEntries(found)).toEqual(answers)
  const ids = new Set(expectation.answers.flatMap((answer) => answer.seen.map(({ id }) => id)))
  for (const id of seen) expect(ids, id).toContain(id)
  expect(expectation.unread).toEqual([])
  expect(expectation.unknownFiles).toEqual([])
  // Commands that would confirm or refute a cause name it, and do not claim it.
  const claims = { ...expectation, answers: expectation.answers.map((answer) => ({ ...answer, confirm: [] })) }
  expect(expectText(claims, {})).not.toMatch(not)
})
