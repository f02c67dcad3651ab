/**
 * Lines of the source, by room: TypeScript of src and scripts without tests, and beside it data that stands in the place of
 * code (rows of experiments, words, tables). `npm run lines`, or beside a revision: `npm run lines -- HEAD~1`.
 */
import { execFileSync } from 'node:child_process'

/** Tests, and what stands beside them to serve them. */
const TEST = /\.test[-.]/
const CODE = /\.(?:ts|mts|mjs|js)$/
/** Read by the program or made into it. */
const DATA = /\.(?:json|ya?ml|csv|css)$/

const DOORS_OF_ROOMS = new Set(['core', 'doctor'])

/** By room: lines of code and of data, and bytes of both. */
function countsAt(revision) {
  const git = (args, input) => execFileSync('git', args, { input, maxBuffer: 1 << 30 })
  const files = git(['ls-tree', '-r', revision, 'src', 'scripts'])
    .toString()
    .trim()
    .split('\n')
    .map((row) => ({ file: row.split('\t')[1], hash: row.split(/\s/)[2] }))
    .filter(({ file }) => !TEST.test(file) && !file.endsWith('tsconfig.json') && (CODE.test(file) || DATA.test(file)))
  // Each blob behind a line "HASH blob SIZE".
  const blobs = git(['cat-file', '--batch'], files.map(({ hash }) => `${hash}\n`).join(''))
  const rooms = new Map()
  let at = 0
  for (const { file } of files) {
    const begin = blobs.indexOf('\n', at) + 1
    const size = Number(blobs.toString('latin1', at, begin).trim().split(' ')[2])
    at = begin + size + 1
    const [folder, door, ...below] = file.split('/')
    const room = DOORS_OF_ROOMS.has(door) && below.length > 1 ? `${door}/${below[0]}` : door
    const name = folder === 'scripts' ? folder : below.length > 0 ? room : '(root)'
    const own = rooms.get(name) ?? { code: 0, data: 0, bytes: 0 }
    rooms.set(name, own)
    own[CODE.test(file) ? 'code' : 'data'] += blobs.toString('latin1', begin, begin + size).split('\n').length - 1
    own.bytes += size
  }
  return rooms
}

const [before] = process.argv.slice(2)
const now = countsAt('HEAD')
const then = before === undefined ? undefined : countsAt(before)
const total = (rooms, ...keys) =>
  [...rooms.values()].flatMap((own) => keys.map((key) => own[key])).reduce((a, b) => a + b, 0)
const row = (name, ...values) =>
  console.log(name.padEnd(20) + values.map((value) => String(value).padStart(10)).join(''))
row('room', 'code', 'data', 'KB', ...(then === undefined ? [] : ['change']))
for (const [room, { code, data, bytes }] of [...now].toSorted(([, a], [, b]) => b.code - a.code)) {
  const { code: oldCode = 0, data: oldData = 0 } = then?.get(room) ?? {}
  row(room, code, data, Math.round(bytes / 1000), ...(then === undefined ? [] : [code + data - oldCode - oldData]))
}
const change = then === undefined ? [] : [total(now, 'code', 'data') - total(then, 'code', 'data')]
row('together', total(now, 'code'), total(now, 'data'), Math.round(total(now, 'bytes') / 1000), ...change)
