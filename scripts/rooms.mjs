/**
 * Which room of src/ may look into which: ARCHITECTURE.md's table as data, and the dependency-cruiser rules made of it.
 * A room may always import from itself. Tests are free, since they tell stories across rooms.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cruise } from 'dependency-cruiser'

const core = (...rooms) => rooms.map((room) => `core/${room}`)
const models = core('base', 'wire', 'engine', 'topology', 'workload', 'transport', 'verbs', 'fabric')
const allOfCore = [...models, ...core('notation', 'results', 'findings', 'device-model', 'hardware')]

/**
 * Room to what it may import: whole rooms, or single files of a room. Null: anything. A room is a folder below src/ without
 * the rooms inside it; the first folder of its path is its door.
 */
const ROOMS = {
  'core/base': [],
  'core/notation': ['core/base'],
  'core/wire': ['core/base'],
  'core/engine': ['core/base'],
  'core/topology': ['core/base'],
  'core/workload': ['core/base', 'core/transport/host-delay/index.ts'],
  'core/results': ['core/base'],
  'core/findings': ['core/base', 'core/results/quantiles.ts'],
  'core/device-model': ['core/base'],
  'core/hardware': core('base', 'transport/retry.ts'),
  'core/transport': core('base', 'wire'),
  'core/verbs': core('base', 'wire', 'transport'),
  'core/fabric': core('base', 'wire', 'engine', 'transport', 'verbs'),
  show: core('base', 'results', 'findings'),
  'doctor/devices': core('base', 'notation', 'results', 'findings', 'device-model'),
  'doctor/diagnosis': [...core('base', 'results', 'findings', 'device-model', 'hardware'), 'doctor/devices'],
  doctor: ['core/device-model', 'doctor/devices', 'doctor/diagnosis'],
  'doctor/expect': [...core('base', 'findings', 'device-model', 'hardware', 'workload'), 'doctor'],
  'doctor/platforms': ['core/fabric', 'doctor'],
  'doctor/answers': [
    ...core('base', 'results', 'findings'),
    'show',
    'doctor',
    'doctor/devices',
    'doctor/diagnosis',
    'doctor/expect',
  ],
  'lab/metrics': core(
    'base',
    'results',
    'device-model',
    'fabric/watch.ts',
    'fabric/packets.ts',
    'fabric/counters.ts',
    'transport/segment.ts',
  ),
  'lab/scenario': [
    ...core('base', 'notation', 'fabric/params.ts', 'transport/params.ts', 'transport/scheme.ts', 'verbs/params.ts'),
    ...core('wire/frame.ts', 'transport/recovery/index.ts', 'transport/congestion/index.ts', 'fabric/balance/index.ts'),
    ...core('topology/index.ts', 'workload/index.ts', 'hardware'),
    'lab/metrics/index.ts',
  ],
  lab: [...allOfCore, 'lab/scenario', 'lab/metrics'],
  'lab/advice': [...allOfCore, 'lab/scenario', 'lab/metrics', 'lab', 'doctor', 'doctor/platforms', 'show'],
  importers: [
    ...core('base', 'wire', 'results', 'findings', 'device-model'),
    ...core('workload/graph/index.ts', 'workload/collective-names.ts', 'workload/nccl-tuner.ts', 'topology/star.ts'),
    'lab/scenario',
    'doctor',
    'doctor/diagnosis',
    'doctor/platforms',
  ],
  exporters: [...core('base', 'wire', 'results', 'workload/graph/index.ts', 'workload/trace.ts'), 'lab/scenario'],
  'live/decode': core('base', 'wire', 'results', 'findings'),
  live: core('base', 'notation', 'wire', 'transport', 'verbs', 'results', 'findings'),
  'live/answers': [...core('base', 'wire', 'findings'), 'live/decode', 'show'],
  papers: [...core('base', 'transport', 'results', 'findings'), 'lab', 'lab/scenario', 'doctor', 'show'],
  cli: null,
}

/** Imported for types alone, these cost nothing and tie nothing together at run time. */
const TYPES_ONLY = { 'lab/metrics': core('fabric', 'transport') }

/** Entries of the package that gather what stands in several doors. */
const ROOT_FILES = ['index', 'advice', 'catalog']

/** Tests, and what stands beside them to serve them: `queue.test.ts`, `example.test-data.ts`. */
const TEST = '[.]test[^/]*[.]ts$'

const oneOf = (names) => `(${names.join('|')})`
const insideOf = (room) => Object.keys(ROOMS).filter((other) => other.startsWith(`${room}/`))
/** All files of a room. */
const roomPath = (room) =>
  `^src/${room}/` +
  insideOf(room)
    .map((inner) => `(?!${inner.slice(room.length + 1)}/)`)
    .join('')
const pattern = (target) => (target.endsWith('.ts') ? `^src/${target.replaceAll('.', '\\.')}$` : roomPath(target))
const from = (rooms) => ({ path: [rooms].flat().map(roomPath), pathNot: TEST })

function roomRules(room, allowed) {
  if (allowed === null) return []
  const free = [room, ...allowed].map(pattern)
  const typed = (TYPES_ONLY[room] ?? []).map(pattern)
  const rules = [
    {
      name: `${room.replace('/', '-')}-looks-only-where-it-may`,
      severity: 'error',
      from: from(room),
      to: { path: '^src/', pathNot: [...free, ...typed] },
    },
  ]
  if (typed.length > 0) {
    const to = { path: typed, pathNot: free, dependencyTypesNot: ['type-only'] }
    rules.push({ name: `${room.replace('/', '-')}-takes-only-types`, severity: 'error', from: from(room), to })
  }
  return rules
}

const RULES = [
  ...Object.entries(ROOMS).flatMap(([room, allowed]) => roomRules(room, allowed)),
  {
    name: 'every-room-is-in-the-table',
    severity: 'error',
    from: { path: '^src/', pathNot: [...Object.keys(ROOMS).map(roomPath), `^src/${oneOf(ROOT_FILES)}[.]ts$`] },
    to: {},
  },
  {
    name: 'no-node-below-cli',
    comment:
      'All of it runs in a browser unchanged: files, sockets, clocks and threads belong to cli and to live/drivers.',
    severity: 'error',
    from: {
      path: from(Object.keys(ROOMS).filter((room) => room !== 'cli')).path.concat(`^src/${oneOf(ROOT_FILES)}[.]ts$`),
      pathNot: [TEST, '^src/live/drivers/'],
    },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'models-import-no-package',
    severity: 'error',
    from: from([...models, 'lab/metrics']),
    to: { path: 'node_modules/' },
  },
  {
    name: 'no-development-package-in-the-product',
    comment: 'The script of reports is packed at build time, with what it imports (scripts/page.mjs).',
    severity: 'error',
    from: { path: '^src/', pathNot: [TEST, '^src/show/html/client/'] },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'src-stays-in-src',
    severity: 'error',
    from: { path: '^src/', pathNot: TEST },
    to: { path: '^(tests|bench|scripts)/' },
  },
  { name: 'no-test-in-the-product', severity: 'error', from: { path: '^src/', pathNot: TEST }, to: { path: TEST } },
  {
    name: 'root-never-cli',
    severity: 'error',
    from: { path: `^src/${oneOf(ROOT_FILES)}[.]ts$` },
    to: { path: '^src/cli/' },
  },
  {
    name: 'psns-are-kept-by-transport',
    comment:
      'Which packets are outstanding, there or missing is a packet space, of which there is one. nic-state.ts counts bits.',
    severity: 'error',
    from: { path: '^src/core/verbs/', pathNot: [TEST, '^src/core/verbs/nic-state[.]ts$'] },
    to: { path: '^src/core/transport/(psn-bitmap|arrivals|send/(byte-window|pacing))[.]ts$' },
  },
  { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  {
    name: 'no-cycles',
    comment: 'Of types too: what two files share has a file of its own below both.',
    severity: 'error',
    from: { path: '^src/', pathNot: TEST },
    to: { circular: true },
  },
]

/** A field of a packet space's state: what is outstanding, there, missing or to go again. */
const PSN_STATE =
  /^ {2}(?:(?:private|protected|public|readonly|#) ?)*(una|nxt|highest|epsn|rtx\w*|sacked|pendingPsn|resendPsn)\b *[:=]/

/** Fields of verbs' classes that keep such a state beside the packet space they stand on. */
export function psnStateIn(name, text) {
  return text.split('\n').flatMap((line, at) => {
    const field = PSN_STATE.exec(line)?.[1]
    return field === undefined ? [] : [`psns-are-kept-by-transport: ${name}:${at + 1} keeps ${field}`]
  })
}

function psnStateBeside(root) {
  const folder = path.join(root, 'src', 'core', 'verbs')
  const names = readdirSync(folder, { recursive: true }).filter((name) => /^[^.]+[.]ts$/.test(name))
  return names.flatMap((name) => psnStateIn(`src/core/verbs/${name}`, readFileSync(path.join(folder, name), 'utf8')))
}

/** Rooms with limits on their entries (a folder counts as one) and the arrows between them, types included. */
const SHAPES = { papers: { entries: 20, arrows: 60 }, lab: { entries: 19, arrows: 60 } }

/** Entries of a room, or of src/ itself where `room` is empty, each with the entries that it imports. */
export function entriesOf(modules, room) {
  const root = path.posix.join('src', room, '/')
  const entryOf = (source) => source.slice(root.length).split('/')[0]
  const inside = modules.filter(({ source }) => source.startsWith(root) && !new RegExp(TEST).test(source))
  const entries = new Map(inside.map(({ source }) => [entryOf(source), new Set()]))
  for (const { source, dependencies } of inside) {
    for (const { resolved } of dependencies) {
      const [importer, imported] = [entryOf(source), entryOf(resolved)]
      if (resolved.startsWith(root) && importer !== imported && entries.has(imported))
        entries.get(importer).add(imported)
    }
  }
  return entries
}

/** An entry on a circle, or undefined: entries without arrows are taken away until none is left. */
function onCircle(entries) {
  const left = new Map([...entries].map(([name, to]) => [name, new Set(to)]))
  for (;;) {
    const free = [...left].find(([, to]) => [...to].every((name) => !left.has(name)))?.[0]
    if (free === undefined) return [...left.keys()][0]
    left.delete(free)
  }
}

/** Mistakes in the shape of a room. */
export function shapeMistakes(modules, room, { entries: entriesMax, arrows: arrowsMax }) {
  const entries = entriesOf(modules, room)
  const arrows = [...entries.values()].reduce((sum, to) => sum + to.size, 0)
  return [
    ...(entries.size > entriesMax ? [`shape: src/${room}/ has ${entries.size} entries, at most ${entriesMax}`] : []),
    ...(arrows > arrowsMax ? [`shape: src/${room}/ has ${arrows} arrows between entries, at most ${arrowsMax}`] : []),
  ]
}

/** Doors, rooms of a door, and folders and files of a room depend on each other in one direction, types included. */
export function circleMistakes(modules) {
  const doors = new Set(Object.keys(ROOMS).map((room) => room.split('/')[0]))
  return [...new Set(['', ...doors, ...Object.keys(ROOMS)])].flatMap((room) => {
    const circle = onCircle(entriesOf(modules, room))
    return circle === undefined ? [] : [`shape: ${path.posix.join('src', room, circle)} is on a circle of entries`]
  })
}

/** Cruises the folders below baseDir and returns what it saw and what it found. */
async function survey(baseDir, folders) {
  const options = {
    baseDir,
    validate: true,
    ruleSet: { forbidden: RULES },
    tsPreCompilationDeps: 'specify',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)second-node/node_modules/|^dist(-checked)?/' },
  }
  const { output } = await cruise(folders, options)
  const found = output.summary.violations.map(({ rule, from: file, to }) => `${rule.name}: ${file} -> ${to}`)
  return { modules: output.modules, seen: new Set(output.modules.map((module) => module.source)), found }
}

/** Imports that the rules must catch, and some that they must not. */
const PLANTED = {
  'package.json': '{ "dependencies": { "kept": "1" }, "devDependencies": { "tried": "1" } }',
  'node_modules/kept/package.json': '{ "name": "kept", "version": "1.0.0", "main": "index.js" }',
  'node_modules/kept/index.js': '',
  'node_modules/tried/package.json': '{ "name": "tried", "version": "1.0.0", "main": "index.js" }',
  'node_modules/tried/index.js': '',
  'src/show/index.ts': "import 'kept'\nimport 'tried'\n",
  'src/doctor/platforms/index.ts': "import '../../live/decode/index.ts'\n",
  'src/live/decode/index.ts': "import '../index.ts'\n",
  'src/live/index.ts': "import '../core/base/index.ts'\n",
  'src/core/topology/index.ts': "import 'kept'\n",
  'src/core/base/index.ts': "import { far } from '../engine/index.ts'\nexport const near: number = far\n",
  'src/core/engine/index.ts': "export { c } from './c.ts'\nexport const far = 1\n",
  'src/core/engine/c.ts': "import { d } from './d.ts'\nexport const c = d\n",
  'src/core/engine/d.ts': "import { c } from './c.ts'\nexport const d: number = c\n",
  'src/core/engine/d.test.ts': "import { host } from '../fabric/nic/nic.ts'\nhost()\n",
  'src/core/fabric/nic/nic.ts':
    "import type { Lab } from '../../../lab/index.ts'\nexport const host = (lab?: Lab): unknown => lab\n",
  'src/core/fabric/watch.ts': "import '../base/index.ts'\nexport const watch = 1\n",
  'src/lab/index.ts':
    "import { readFileSync } from 'node:fs'\nexport type Lab = typeof readFileSync\nreadFileSync('x')\n",
  'src/lab/metrics/index.ts':
    "import type { host } from '../../core/fabric/nic/nic.ts'\nimport { watch } from '../../core/fabric/watch.ts'\nexport const m: typeof host | number = watch\n",
  'src/lab/metrics/worse.ts': "import { host } from '../../core/fabric/nic/nic.ts'\nhost()\n",
  'src/core/transport/arrivals.ts': 'export const arrivals = 1\n',
  'src/core/verbs/requester/requester.ts': "import '../../transport/arrivals.ts'\n",
  'src/core/verbs/nic-state.ts': "import '../transport/arrivals.ts'\n",
  'src/core/workload/index.ts': "import '../base/missing.ts'\n",
  'src/core/results/one/up.ts': "import '../two/low.ts'\n",
  'src/core/results/one/low.ts': '',
  'src/core/results/two/up.ts': "import '../one/low.ts'\n",
  'src/core/results/two/low.ts': '',
  'src/cli/main.ts':
    "import '../core/engine/d.test.ts'\nimport '../../bench/index.ts'\nimport '../lab/index.ts'\nimport 'node:fs'\n",
  'src/index.ts': "import './cli/main.ts'\n",
  'bench/index.ts': 'export const bench = 1\n',
  'src/attic/index.ts': "import '../core/base/index.ts'\n",
}
const EXPECTED = [
  'doctor-platforms-looks-only-where-it-may: src/doctor/platforms/index.ts -> src/live/decode/index.ts',
  'live-decode-looks-only-where-it-may: src/live/decode/index.ts -> src/live/index.ts',
  'core-base-looks-only-where-it-may: src/core/base/index.ts -> src/core/engine/index.ts',
  'every-room-is-in-the-table: src/attic/index.ts -> src/core/base/index.ts',
  'core-fabric-looks-only-where-it-may: src/core/fabric/nic/nic.ts -> src/lab/index.ts',
  'lab-metrics-takes-only-types: src/lab/metrics/worse.ts -> src/core/fabric/nic/nic.ts',
  'models-import-no-package: src/core/topology/index.ts -> node_modules/kept/index.js',
  'no-cycles: src/core/engine/c.ts -> src/core/engine/d.ts',
  'no-development-package-in-the-product: src/show/index.ts -> node_modules/tried/index.js',
  'no-test-in-the-product: src/cli/main.ts -> src/core/engine/d.test.ts',
  'no-node-below-cli: src/lab/index.ts -> fs',
  'src-stays-in-src: src/cli/main.ts -> bench/index.ts',
  'psns-are-kept-by-transport: src/core/verbs/requester/requester.ts -> src/core/transport/arrivals.ts',
  'resolvable: src/core/workload/index.ts -> ../base/missing.ts',
  'root-never-cli: src/index.ts -> src/cli/main.ts',
]

/** src/core/engine has three files: index imports c, c and d import each other. In src/core/results two folders do, and no files. */
function shapeSelfTest(modules) {
  const found = shapeMistakes(modules, 'core/engine', { entries: 2, arrows: 2 })
  const whole = shapeMistakes(modules, 'lab/metrics', { entries: 2, arrows: 0 })
  const circles = circleMistakes(modules)
  const isRight =
    found.length === 2 &&
    whole.length === 0 &&
    circles.length === 3 &&
    circles[0].includes('src/attic') &&
    circles[2].includes('results/')
  return isRight ? [] : [`self test: shape: ${[...found, ...whole, ...circles].join('; ')}`]
}

async function selfTest() {
  const directory = mkdtempSync(path.join(tmpdir(), 'rocelab-rooms-'))
  try {
    for (const [file, text] of Object.entries(PLANTED)) {
      mkdirSync(path.join(directory, path.dirname(file)), { recursive: true })
      writeFileSync(path.join(directory, file), text)
    }
    const { modules, found } = await survey(directory, ['src', 'bench'])
    const missed = EXPECTED.filter((line) => !found.includes(line))
    const invented = found.filter((line) => !EXPECTED.includes(line) && !line.startsWith('no-cycles'))
    const kept = psnStateIn('x.ts', 'class X {\n  private epsn = 0\n  get una(): number {\n  readonly nxt: number\n')
    return [
      ...shapeSelfTest(modules),
      ...(kept.length === 2 ? [] : [`self test: ${kept.length} fields of PSNs seen, not 2`]),
      ...missed.map((line) => `self test: not caught: ${line}`),
      ...invented.map((line) => `self test: caught wrongly: ${line}`),
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Returns all that is wrong, as lines; nothing means that the rules hold and that they bite. */
export async function checkRooms(root, folders) {
  const { modules, seen, found } = await survey(root, folders)
  const files = readdirSync(path.join(root, 'src'), { recursive: true }).filter((name) => name.endsWith('.ts'))
  const unseen = files.map((name) => `src/${name.replaceAll(path.sep, '/')}`).filter((name) => !seen.has(name))
  const blind =
    unseen.length === 0
      ? []
      : [`never looked at: ${unseen.join(' ')} (a TypeScript with the JavaScript API must be installed)`]
  const count = [...seen].filter((name) => name.startsWith('src/')).length
  if (count <= 20) blind.push(`saw only ${count} modules in src/`)
  const shapes = Object.entries(SHAPES).flatMap(([room, limits]) => shapeMistakes(modules, room, limits))
  return [...blind, ...found, ...shapes, ...circleMistakes(modules), ...psnStateBeside(root), ...(await selfTest())]
}
