/**
 * Lines of the source, by room: TypeScript of src and scripts without tests, and beside it data that stands in the place of
 * code (rows of experiments, words, tables). `npm run lines`, with a revision to compare with: `npm run lines -- HEAD~1`.
 */
import { execFileSync } from 'node:child_process'

/** Tests, and what stands beside them to serve them. */
const TEST = /\.test[-.]/
const CODE = /\.(?:ts|mts|mjs|js)$/
/** Read by the program or made into it. */
const DATA = /\.(?:json|ya?ml|csv|css)$/

/** By room: lines of code and of data, and bytes of both. */
function countsAt(revision) {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 30 })
  const rooms = new Map()
  for (const row of git('ls-tree', '-r', revision, 'src', 'scripts').trim().split('\n')) {
    const [, file] = row.split('\t')
    const [, , hash] = row.split(/[ \t]/)
    if (TEST.test(file) || file.endsWith('tsconfig.json') || !(CODE.test(file) || DATA.test(file))) continue
    const text = git('cat-file', 'blob', hash)
    const parts = file.split('/')
    const room = parts[0] === 'scripts' ? 'scripts' : parts.length > 2 ? parts[1] : '(root)'
    const own = rooms.get(room) ?? { code: 0, data: 0, bytes: 0 }
    rooms.set(room, own)
    own[CODE.test(file) ? 'code' : 'data'] += text.split('\n').length - 1
    own.bytes += Buffer.byteLength(text)
  }
  return rooms
}

const [before] = process.argv.slice(2)
const now = countsAt('HEAD')
const then = before === undefined ? undefined : countsAt(before)
const sum = (rooms, key) => [...rooms.values()].reduce((all, own) => all + own[key], 0)
const cell = (value) => String(value).padStart(10)
console.log(
  ['room      ', ...['code', 'data', 'KB'].map(cell), ...(then === undefined ? [] : ['change'].map(cell))].join(''),
)
for (const [room, { code, data, bytes }] of [...now].toSorted(([, a], [, b]) => b.code - a.code)) {
  const old = then?.get(room)
  const change = then === undefined ? [] : [cell(code + data - (old === undefined ? 0 : old.code + old.data))]
  console.log([room.padEnd(12), cell(code), cell(data), cell(Math.round(bytes / 1000)), ...change].join(''))
}
const total = (rooms) => sum(rooms, 'code') + sum(rooms, 'data')
console.log(
  [
    'together'.padEnd(12),
    cell(sum(now, 'code')),
    cell(sum(now, 'data')),
    cell(Math.round(sum(now, 'bytes') / 1000)),
    ...(then === undefined ? [] : [cell(total(now) - total(then))]),
  ].join(''),
)
