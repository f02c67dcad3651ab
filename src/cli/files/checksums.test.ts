import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { hasShape, objectOf, parsedJson } from '../../core/base/shape.ts'
import { checksumsShape, type ResultFile, resultFiles } from '../../core/results/index.ts'
import { exampleResult } from '../../core/results/example.test-data.ts'
import { checkedReader, withChecksums } from './checksums.ts'

const summedShape = objectOf<{ sha256: object }>({ sha256: checksumsShape })
const COST = { cpuSeconds: 1, wallSeconds: 2, peakRssBytes: 3 }
const plain = resultFiles(exampleResult(), { scenarioText: 'name: example\n', cost: COST })
const stored = new Map(withChecksums(plain).map(({ path, data }) => [path, data]))

const readWith = (path: string, data: Uint8Array) => checkedReader((name) => (name === path ? data : stored.get(name)))

/** Whether reading a file of other data is refused with its name. */
function isRefused(path: string, data: Uint8Array): boolean {
  try {
    readWith(path, data)(path)
    return false
  } catch (error) {
    return error instanceof InputError && error.issues[0]?.path === path
  }
}

test('result.json has the SHA-256 of each file but the cost, and comes last', () => {
  expect([...stored.keys()].at(-1)).toBe('result.json')
  expect([...stored.keys()].toSorted()).toEqual(plain.map(({ path }) => path).toSorted())
  const { sha256 } = JSON.parse(new TextDecoder().decode(stored.get('result.json'))) as {
    sha256: Record<string, string>
  }
  const others = [...stored].filter(([path]) => !['result.json', 'cost.json'].includes(path))
  const { 'result.json': own, ...rest } = sha256
  expect(own).toMatch(/^[0-9a-f]{64}$/)
  expect(rest).toEqual(
    Object.fromEntries(others.map(([path, data]) => [path, createHash('sha256').update(data).digest('hex')])),
  )
})

test('each file is made once, and those that nobody wrote are made for their checksum', () => {
  let made = 0
  const counted = plain.map((file): ResultFile => ({
    path: file.path,
    get data() {
      made++
      return file.data
    },
  }))
  for (const { data } of withChecksums(counted)) expect(data.length).toBeGreaterThan(0)
  expect(made).toBe(plain.length)
  expect(withChecksums(plain).at(-1)?.data).toEqual(stored.get('result.json'))
})

const summed = [...stored].filter(([path]) => path !== 'cost.json')

test('a file as it was written is read', () => {
  for (const [path, data] of stored) expect(readWith('', data)(path)).toEqual(data)
})

test.each(summed.filter(([path]) => path !== 'result.json'))(
  '%s with any byte changed or cut is refused',
  (path, data) => {
    const step = Math.max(1, Math.floor(data.length / 50))
    for (let at = 0; at < data.length; at += step) {
      const changed = data.slice()
      changed[at]! ^= 1
      expect(isRefused(path, changed), `byte ${at}`).toBe(true)
    }
    expect(isRefused(path, data.slice(0, -1))).toBe(true)
  },
)

test('result.json with any character changed is refused, or has no checksums any more', () => {
  const whole = new TextDecoder().decode(stored.get('result.json'))
  const changed = Array.from(
    { length: whole.length },
    (_, at) => `${whole.slice(0, at)}${whole[at] === '1' ? '2' : '1'}${whole.slice(at + 1)}`,
  )
  const taken = changed.filter((text) => !isRefused('result.json', new TextEncoder().encode(text)))
  expect(taken.length).toBeLessThan((3 / 4) * whole.length)
  expect(taken.filter((text) => hasShape(summedShape, parsedJson(text)))).toEqual([])
})

test('a result without checksums is read as it is', () => {
  const head = plain.find(({ path }) => path === 'result.json')!.data
  const read = checkedReader((name) => (name === 'result.json' ? head : Uint8Array.of(1)))
  expect(read('flows.parquet')).toEqual(Uint8Array.of(1))
  expect(checkedReader(() => undefined)('flows.parquet')).toBeUndefined()
})
