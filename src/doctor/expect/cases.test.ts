/**
 * Published measurements, each with the one number that was fitted to it, if any, and what must then follow without fitting.
 * Sources are threads and pages of others, named at each case; the table of all: docs/models/expect.md.
 */
import { describe, expect, test } from 'vitest'
import { channelsOf, ncclChoice } from '../../core/workload/nccl/cost-model.ts'
import { ncclLog, perftestLog } from './drawn.test-data.ts'
import { expectationOf } from './index.ts'

const one = (text: string, fabric: string) => expectationOf({ groups: [[{ file: 'log', text }]], fabric }).answers[0]!
const limitOf = (text: string, fabric: string, part: string): number =>
  one(text, fabric).ceilings.find((each) => each.part === part)!.toBps! / 1e9

describe('perftest on a link', () => {
  // nccl#2409, ConnectX-7. Fitted: the 344.9 ns between two requests of a queue pair, on 380.0.
  test.each([
    [131_072, 1, 392.1],
    [16_384, 8, 391.8],
    [131_072, 8, 391.8],
    [1_048_576, 8, 391.5],
  ])('%i bytes on %i queue pairs: %f Gb/s within 0.3 % of the link', (bytes, pairs, gbps) => {
    const link = limitOf(perftestLog(gbps, bytes, 4096, pairs), '400G RoCE ConnectX-7', 'link')
    expect(Math.abs(link / gbps - 1)).toBeLessThan(0.003)
  })

  test('1 MiB on one queue pair, 284.4 Gb/s, is explained by nothing', () => {
    const { verdict, part } = one(perftestLog(284.4, 1_048_576, 4096, 1), '400G RoCE ConnectX-7')
    expect([verdict, part]).toEqual(['below', null])
  })

  // capetron/gb10-cluster-guide: two functions of one port of 200 Gb/s. Nothing fitted.
  test('196.08 Gb/s of 200 within 0.05 %', () => {
    expect(Math.abs(limitOf(perftestLog(196.08, 1_048_576, 4096, 8), '200G RoCE', 'link') / 196.08 - 1)).toBeLessThan(
      5e-4,
    )
  })

  // nccl#2310. Fitted: 234 Gb/s through the bridge, on one NIC.
  test('two NICs through a host bridge have 117 Gb/s each', () => {
    const texts = ['mlx5_1', 'mlx5_2'].map((device) => ({
      file: device,
      text: perftestLog(117, 1_048_576, 4096, 8, device),
    }))
    const { answers } = expectationOf({ groups: [texts], fabric: '400G RoCE; mlx5_1 PHB, mlx5_2 PHB' })
    expect(answers.map(({ verdict, part }) => [verdict, part])).toEqual([['as-expected', 'host-path']])
    expect(answers[0]!.ceilings.find(({ part }) => part === 'host-path')!.toBps! / 117e9).toBeCloseTo(1, 2)
  })
})

describe('tables of collectives', () => {
  // nccl-tests#252, #119, nccl#812, nccl-tests#309, aicr#1413, nccl-tests#29, perftest#394. Nothing fitted.
  test.each([
    [2, 4, '4x200G IB', 95.1],
    [3, 8, '4x200G IB', 96.7],
    [2, 8, '8x200G IB', 192],
    [4, 8, '8x400G IB', 365.8],
    [2, 4, '8x400G RoCE', 387],
    [2, 1, '1x100G IB', 12.2],
    [3, 1, '1x200G RoCE', 24],
  ])(
    '%i servers of %i GPUs, %s: %f GB/s is 0.92 to 0.99 of the links, and as expected',
    (servers, gpus, nics, busGBs) => {
      const { verdict, part, ratios } = one(
        ncclLog(servers * gpus, gpus, 'GPU', [{ bytes: 2 ** 33, busGBs }]),
        `${nics} x ${servers} servers`,
      )
      expect([verdict, part]).toEqual(['as-expected', 'link'])
      expect(ratios![0]).toBeGreaterThanOrEqual(0.92)
      expect(ratios![0]).toBeLessThan(0.99)
    },
  )

  // nccl#1411: 2 servers of 4 GPUs and 4 NICs of 400 Gb/s, rings. Nothing fitted.
  test.each([
    [8, 93.5],
    [32, 135.8],
    [128, 157.3],
  ])('%i MiB: %f GB/s within 12 % of the model', (mib, busGBs) => {
    const bytes = mib * 2 ** 20
    const machine = { servers: 2, gpus: 4, capability: 90, ...channelsOf(4, 400e9) }
    const { timeUs } = ncclChoice(machine, bytes, { algorithm: 'ring' })
    expect(Math.abs(((bytes / timeUs / 1e3) * (14 / 8)) / busGBs - 1)).toBeLessThan(0.125)
  })

  // nccl#527: servers with four NICs of 100 Gb/s.
  test('more than the links between two servers are trees; 31.8 and 29.6 GB/s between three and four are below', () => {
    const of = (servers: number, busGBs: number) =>
      one(ncclLog(8 * servers, 8, 'NVIDIA A100', [{ bytes: 2 ** 30, busGBs }]), `4x100G RoCE x ${servers} servers`)
    expect(of(2, 70)).toMatchObject({ verdict: 'above-link', reason: 'trees-of-two-servers' })
    expect([of(3, 31.8).verdict, of(4, 29.6).verdict]).toEqual(['below', 'below'])
    expect([of(3, 31.8).part, of(4, 29.6).part]).toEqual([null, null])
  })

  // nccl#2408: rows with wrong values.
  test('a rate of wrong values gets no verdict, whatever it is', () => {
    const { verdict, reason } = one(
      ncclLog(16, 8, 'NVIDIA H100', [{ bytes: 2 ** 30, busGBs: 87.6, wrong: 9 }]),
      '1x400G RoCE x 2 servers',
    )
    expect([verdict, reason]).toEqual(['cannot-tell', 'values-are-wrong'])
  })
})

// byteps#179: CNPs that no mark asked for.
test('CNPs without marks, and packets out of sequence: evidence of loss, and none of marks', () => {
  const counters =
    'before: packet_seq_err 0\nafter: packet_seq_err 70\nbefore: np_ecn_marked_roce_packets 0\nafter: np_ecn_marked_roce_packets 0\nbefore: np_cnp_sent 0\nafter: np_cnp_sent 1333\n'
  const groups = [[{ file: 'w.log', text: perftestLog(10, 65_536, 4096, 1) }], [{ file: 'counters', text: counters }]]
  const seen = expectationOf({ groups, fabric: '100G RoCE' }).answers[0]!.seen
  expect(seen.map(({ id, values }) => [id, values['name'], values['evidence']])).toEqual([
    ['counter-grew', 'packet_seq_err', 'loss'],
    ['counter-still', 'np_ecn_marked_roce_packets', 'marks'],
  ])
})

describe('facts are taken into account, or given back', () => {
  const partOf = (busGBs: number, fabric: string) => {
    const { verdict, part } = one(ncclLog(16, 8, 'NVIDIA H100', [{ bytes: 2 ** 33, busGBs }]), fabric)
    return [verdict, part]
  }

  test('the slots of the NICs limit a collective where they are narrower than the links', () => {
    expect(partOf(220, '8x400G RoCE x 2 servers')).toEqual(['below', null])
    expect(partOf(220, '8x400G RoCE x 2 servers, PCIe Gen4 x16')).toEqual(['as-expected', 'pcie'])
    expect(partOf(100, '8x400G RoCE x 2 servers, 112G each by PCIe')).toEqual(['as-expected', 'host-path'])
  })

  test('GPUs of a server give the servers of a log without a header; a forced protocol is that of the model', () => {
    const bare = ncclLog(16, 8, 'NVIDIA H100', [{ bytes: 2 ** 33, busGBs: 380 }]).replaceAll(/^#  Rank.*\n/gm, '')
    expect(one(bare, '8x400G RoCE').reason).toBe('no-servers')
    expect(one(bare, '8x400G RoCE, 8 GPUs a server').verdict).toBe('as-expected')
    const forced = (protocol: string) =>
      one(
        ncclLog(16, 8, 'NVIDIA H100', [{ bytes: 2 ** 28, busGBs: 200 }]),
        `8x400G RoCE x 2 servers, NCCL_PROTO=${protocol}`,
      )
    expect([forced('LL').verdict, forced('Simple').verdict]).toEqual(['as-expected', 'below'])
  })

  test('ECN without PFC may hold back senders: then loss is no suspect; a variable that nothing reads is given back', () => {
    const of = (fabric: string) =>
      expectationOf({
        groups: [
          [{ file: 'alone', text: perftestLog(23.1, 65_536, 1024, 4) }],
          ['a', 'b'].map((file) => ({ file, text: perftestLog(2, 65_536, 1024, 4) })),
        ],
        fabric: `3 hosts with 25G RoCE, ${fabric}`,
      })
    expect(of('no PFC').answers.at(-1)!.part).toBe('receiver-loss')
    expect(of('no PFC, ECN').answers.at(-1)!.part).toBeNull()
    expect(of('NCCL_IB_HCA=mlx5_0').notUnderstood).toEqual(['NCCL_IB_HCA=mlx5_0'])
  })
})
