/**
 * Drawn files that are spoilt, one at a time, are read without an error and in time that grows with their size. ROCELAB_BUDGET=200
 * takes 100,000 of them; with a budget it says which was the slowest. ROCELAB_SEED takes others.
 */
import { expect, test } from 'vitest'
import { Draw } from '../../../core/base/draw.ts'
import { deviceOf } from '../../devices/joins/device.ts'
import { HOST_WRITERS } from '../../devices/writers/hosts/index.ts'
import { makeFolder } from './index.ts'
import { mutated, type Mutated } from './mutated.test-data.ts'

const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const CASES = 500 * BUDGET
const FIRST_SEED = Number(process.env['ROCELAB_SEED'] ?? 30_000)
const CASES_PER_FOLDER = 100
const SWITCHES = ['sonic', 'nvue', 'nx-os', 'eos', 'os10', 'junos']
const HOSTS = HOST_WRITERS.map(({ language }) => language)
const headroomNeed = (): { leastBytes: number; mostBytes: number; basis: string; isSure: boolean } => ({
  leastBytes: 100_000,
  mostBytes: Infinity,
  basis: '',
  isSure: false,
})

/** Time for each megabyte, of a text that is large enough for it to be one of size. */
const LARGE_CHARACTERS = 100_000
const MOST_MS_PER_MB = 1000
/** A small text has a time, too, on a busy machine. */
const MOST_MS = 500

/** The shortest of several times: others use the machine. */
function msToRead({ text }: Mutated, file: string): number {
  let least = Infinity
  for (let i = 0; i < 3; i++) {
    const start = performance.now()
    deviceOf('device', [{ file, text, command: '', timeNs: NaN }])
    least = Math.min(least, performance.now() - start)
    if (least < Math.max(20, (text.length / 1e6) * 200)) break
  }
  return least
}

interface Slow {
  readonly ms: number
  readonly what: string
}

test('a spoilt file is read, in time that its size allows', () => {
  let [slowest, slowestPerMb]: Slow[] = [
    { ms: 0, what: '' },
    { ms: 0, what: '' },
  ]
  let mostRss = 0
  let characters = 0
  for (let done = 0; done < CASES;) {
    const seed = FIRST_SEED + done / CASES_PER_FOLDER
    const draw = new Draw(seed, 'hostile')
    const { files } = makeFolder({
      seed,
      hosts: draw.whole(1, 4),
      languages: SWITCHES,
      hostLanguages: HOSTS,
      faults: [],
      headroomNeed,
    })
    const ofSwitches = files.filter(({ file }) => !file.startsWith('gpu'))
    for (let i = 0; i < CASES_PER_FOLDER && done < CASES; i++, done++) {
      const { file, text } = draw.one(draw.chance(0.5) ? ofSwitches : files)
      const spoilt = mutated(text, draw, draw.one(files).text)
      const what = `seed ${seed}, case ${i}: ${file}, ${spoilt.names.join(', ')}, ${spoilt.text.length} characters`
      let ms: number
      try {
        ms = msToRead(spoilt, file)
      } catch (error) {
        throw new Error(what, { cause: error })
      }
      characters += spoilt.text.length
      if (ms > slowest!.ms) slowest = { ms, what }
      const perMb = (ms * 1e6) / spoilt.text.length
      if (spoilt.text.length >= LARGE_CHARACTERS && perMb > slowestPerMb!.ms) slowestPerMb = { ms: perMb, what }
    }
    mostRss = Math.max(mostRss, process.memoryUsage.rss())
  }
  if (BUDGET > 1) {
    console.info(`${CASES} files, ${Math.round(characters / 1e6)} MB, most memory ${Math.round(mostRss / 1e6)} MB`)
    console.info(`slowest ${Math.round(slowest!.ms)} ms: ${slowest!.what}`)
    console.info(`slowest for its size ${Math.round(slowestPerMb!.ms)} ms a MB: ${slowestPerMb!.what}`)
  }
  // A quarter of an hour of files has a time to keep; one that is read beside other tests has the time of those.
  const isSlow = BUDGET > 1 && (slowestPerMb!.ms >= MOST_MS_PER_MB || slowest!.ms >= Math.max(MOST_MS, MOST_MS_PER_MB))
  expect(isSlow ? [slowestPerMb, slowest] : []).toEqual([])
  expect(characters).toBeGreaterThan(0)
}, 3_600_000)
