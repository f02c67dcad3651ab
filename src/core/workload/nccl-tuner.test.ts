import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { readTuner, type TunerProblem, wireBytes } from './nccl-tuner.ts'

const FILE = `# collective,min,max,algorithm,protocol,channels,nodes,ranks
allreduce,0,65536,tree,ll,2,-1,-1
allreduce,65537,1048576,ring,ll128,4,4,32,1,0
allreduce,65537,-1,ring,simple,-1,-1,-1
broadcast,0,32768,tree,simple,8,-1,-1   # NCCL has no such tree
broadcast,0,4294967295,ring,simple,2,-1,-1,1,0
allgather,0,-1,ring,simple,4,2,-1,-1,1
`

function read(text: string) {
  const problems: TunerProblem[] = []
  return { tuner: readTuner(text.split('\n'), (problem) => problems.push(problem)), problems }
}

test('the first row that fits chooses', () => {
  const { tuner, problems } = read(FILE)
  expect(problems).toEqual([])
  const chosen = (operation: 'all-reduce' | 'all-gather' | 'all-to-all', sizeBytes: number, ranks = 32, nodes = 4) =>
    tuner.choose({ operation, sizeBytes, ranks, nodes })
  expect(chosen('all-reduce', 65536)).toMatchObject({ algorithm: 'double-binary-tree', protocol: 'll', channels: 2 })
  expect(chosen('all-reduce', 65537)).toMatchObject({ algorithm: 'ring', protocol: 'll128', channels: 4, line: 3 })
  expect(chosen('all-reduce', 65537, 16)).toMatchObject({ protocol: 'simple', channels: null, line: 4 })
  expect(chosen('all-reduce', 65537, 32, 8)).toMatchObject({ line: 4 })
  expect(chosen('all-to-all', 1)).toBe(null)
  // A row for registered buffers fits none: there are no such buffers here.
  expect(chosen('all-gather', 1, 16, 2)).toBe(null)
})

test('a tree of a broadcast is passed over, as NCCL has none, and the ring of one is a chain', () => {
  const { tuner } = read(FILE)
  expect(tuner.withoutEffect).toEqual([5])
  expect(tuner.choose({ operation: 'broadcast', sizeBytes: 1, ranks: 4, nodes: 4 })).toEqual({
    algorithm: 'chain',
    protocol: 'simple',
    channels: 2,
    slices: 1,
    line: 6,
  })
  // 64 MiB in two channels: 32 pieces of 1 MiB each.
  expect(tuner.choose({ operation: 'broadcast', sizeBytes: 2 ** 26, ranks: 4, nodes: 4 })?.slices).toBe(32)
})

test('protocols send flags with the data', () => {
  expect([wireBytes('simple', 1000), wireBytes('ll', 1000)]).toEqual([1000, 2000])
  expect([wireBytes('ll128', 120), wireBytes('ll128', 1), wireBytes('ll128', 0)]).toEqual([128, 2, 0])
  expect(wireBytes('ll128', 120 * 2 ** 40)).toBe(128 * 2 ** 40)
})

test('each mistake is reported at its line', () => {
  const { problems } = read(`allreduce,0,1,nvls,simple,1,-1,-1
allreduce,0,1,ring,simple,0,-1,-1

gather,0,1,ring,fast,1,-1,-1
allreduce,9,1,ring,simple,1,-1,-1
allreduce,0,1,ring
allreduce,0,1,ring,simple,1,x,-1,-1,2
allreduce,0,1,pat,simple,1,-1,-1,-1,-1,-1
`)
  expect(problems.map(({ line, field }) => `${line} ${field}`)).toEqual([
    '1 algorithm',
    '2 channels',
    '4 collective',
    '4 protocol',
    '5 max',
    '6 ',
    '7 nodes',
    '7 regBuff',
    '8 ',
  ])
})

test('any text is read, with a bounded number of mistakes', () => {
  const words = fc.constantFrom('allreduce', '-1', '0', '7', 'ring', 'tree', 'simple', 'll', ',', ',', '#', '\n', '1e9')
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 60 }), (parts) => {
      const { tuner, problems } = read(parts.join(''))
      tuner.choose({ operation: 'all-reduce', sizeBytes: 5, ranks: 2, nodes: 2 })
      expect(problems.length).toBeLessThan(31)
      expect(problems.every(({ expected, line }) => expected !== '' && line > 0)).toBe(true)
    }),
  )
})
