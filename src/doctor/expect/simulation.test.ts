/** Tables by simulation: which rows run, what the others follow, and that one rail stands for all. */
import { describe, expect, test } from 'vitest'
import { collectivesOf } from '../../core/results/index.ts'
import { run } from '../../lab/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { doublingSizes, simulatedRows, simulationOfFabric, simulationsOf } from './index.ts'
import { ncclLog } from './drawn.test-data.ts'
import { lineAt, missOf } from './simulation.ts'

const [MIB, GIB] = [2 ** 20, 2 ** 30]
const psOf = (text: string): number => collectivesOf(run(parseScenario(text)))[0]!.meanPs

describe('the plan', () => {
  test('sizes go by factors of 2, and the last is reached', () => {
    expect(doublingSizes(8, 64)).toEqual([8, 16, 32, 64])
    expect(doublingSizes(3, 10)).toEqual([3, 6])
  })

  test('rows run as far as the budget goes, the smallest first; later ones follow the largest runs of their algorithm', () => {
    const { rows } = simulationOfFabric('8x400G RoCE x 64 servers', {}, doublingSizes(8, 16 * GIB))!
    const own = rows.filter(({ point, by }) => by[0] === point)
    expect(own.at(-1)!.point.sizeBytes).toBe(4 * GIB)
    expect(own).toHaveLength(rows.length - 2)
    const last = rows.at(-1)!
    expect(last.by.map(({ sizeBytes }) => sizeBytes / GIB)).toEqual([1, 2, 4])
    expect(last.by.map(({ choice }) => choice.algorithm)).toEqual(['ring', 'ring', 'ring'])
  })

  test('sizes of which every step sends one line are one run', () => {
    const { rows, runs } = simulationOfFabric('8x400G RoCE x 4 servers', {}, [8, 16, 32, 64, 128])!
    expect([rows.length, runs.size]).toEqual([5, 1])
  })

  test('a fabric too large for any run says so, and one server has no network', () => {
    const [row] = simulatedRows(simulationOfFabric('8x400G RoCE x 9000 servers', {}, [GIB])!, () => 1)
    expect(row).toMatchObject({ by: 'none', timeUs: null })
    expect(simulationOfFabric('8x400G RoCE x 1 server', {}, [GIB])).toBeNull()
    expect(simulationOfFabric('8x400G RoCE', {}, [GIB])).toBeNull()
  })

  test('of a log only an all-reduce of known GPUs is simulated', () => {
    const of = (gpu: string, fabric = '4x400G RoCE x 2 servers') =>
      simulationsOf({ groups: [[{ file: 'a', text: ncclLog(8, 4, gpu, [{ bytes: GIB, busGBs: 190 }]) }]], fabric })
    expect(of('NVIDIA H100')[0]!.rows.map(({ point }) => point.sizeBytes)).toEqual([GIB])
    expect(of('Unknown')).toEqual([null])
    expect(of('NVIDIA H100', '')).toEqual([null])
  })
})

describe('the line', () => {
  test('goes through the last two runs, and says by how much it missed the last before', () => {
    const points = [1, 2, 4].map((size) => [size, 10 + 3 * size] as const)
    expect(lineAt(points.slice(1), 8)).toBe(34)
    expect(missOf(points)).toBe(0)
    expect(missOf([...points.slice(0, 2), [4, 20]])).toBeCloseTo(0.1, 12)
    expect(missOf(points.slice(1))).toBeNull()
  })

  const plan = simulationOfFabric('8x400G RoCE x 64 servers', {}, doublingSizes(8, 16 * GIB))!
  const sizeOf = (text: string): number => Number(/"size":"(\d+)B"/.exec(text)![1])
  const last = (ps: (text: string) => number | undefined) => simulatedRows(plan, ps).at(-1)!

  test('of times that grow by 50 us a MiB of a rail it has the time of the last row', () => {
    const { by, missedBy, timeUs } = last((text) => 1e9 + (sizeOf(text) / MIB) * 50e6)
    expect([by, missedBy]).toEqual(['line', expect.closeTo(0, 6)])
    expect(timeUs![1]).toBeCloseTo(1000 + 2048 * 50 + 8.4, 6)
  })

  test('is never faster than the links', () => {
    const { busBps } = last(() => 1e9)
    expect(busBps![1] / (8 * 400e9 * (4096 / 4178))).toBeGreaterThan(0.99)
    expect(busBps![1] / (8 * 400e9 * (4096 / 4178))).toBeLessThanOrEqual(1)
  })

  test('a run that does not end leaves its rows open', () => {
    expect(last(() => undefined)).toMatchObject({ by: 'stopped', busBps: null })
  })
})

describe('runs', () => {
  test('one rail takes the time of all', () => {
    const { rows } = simulationOfFabric('4x400G RoCE x 4 servers NCCL_ALGO=Ring NCCL_PROTO=Simple', {}, [8 * MIB])!
    const [text] = rows[0]!.point.texts
    const one = JSON.parse(text!) as { workload: [Record<string, unknown>] }
    const [workload] = one.workload
    const all = { ...one, workload: [{ ...workload, size: `${8 * MIB}B`, channelsBy: 'nccl' }] }
    expect(workload['size']).toBe(`${2 * MIB}B`)
    expect(psOf(text!)).toBe(psOf(JSON.stringify(all)))
  })

  test('large rows of a ring are within 1 % of the links, and a tree of two servers passes them', () => {
    const busOf = (algorithm: string) => {
      const plan = simulationOfFabric(`2x100G RoCE x 2 servers NCCL_ALGO=${algorithm}`, {}, [128 * MIB])!
      return simulatedRows(plan, psOf)[0]!.busBps![0] / (2 * 100e9 * (4096 / 4178))
    }
    expect(busOf('Ring')).toBeGreaterThan(0.99)
    expect(busOf('Ring')).toBeLessThanOrEqual(1)
    expect(busOf('Tree')).toBeGreaterThan(1.3)
  })

  test('on InfiniBand headers are shorter', () => {
    const [row] = simulatedRows(simulationOfFabric('2x100G IB x 2 servers NCCL_ALGO=Ring', {}, [128 * MIB])!, psOf)
    expect(row!.busBps![0] / (2 * 100e9 * (4096 / 4122))).toBeGreaterThan(0.99)
  })

  test('with spines trees meet others by chance, and the seeds have a range', () => {
    const plan = simulationOfFabric('2x100G RoCE x 8 servers, 4 spines, NCCL_ALGO=Tree', {}, [32 * MIB])!
    const [row] = simulatedRows(plan, psOf)
    expect(row).toMatchObject({ seeds: 4, by: 'packets' })
    expect(row!.timeUs![1]).toBeGreaterThan(row!.timeUs![0])
  })
})
