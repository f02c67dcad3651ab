/** Folders as they are drawn, and as they are after somebody has typed the lines of a finding. */
import { headroomNeed } from '../../../platforms/headroom-need.ts'
import { Draw } from '../../../../core/base/draw.ts'
import type { Finding } from '../../../../core/findings/index.ts'
import type { Fabric } from '../../../devices/joins/index.ts'
import { diagnose } from '../../doctor.ts'
import {
  fabricOfFolder,
  FAULTS,
  HOST_LANGUAGES,
  type MadeFolder,
  makeFolder,
  SWITCH_LANGUAGES,
} from '../../make/index.ts'
import { causesOf } from '../../rules/nesting.ts'
import type { RuleContext } from '../../rules/rule.ts'
import type { Typed } from '../../../../core/findings/index.ts'
import { cureOf } from '../index.ts'
import { typed } from './interpreter.test-data.ts'

/** Texts that the interpreter reads and writes. */
export type Folder = Pick<MadeFolder, 'files' | 'edges'>

/** A file that was cut is not what its device has. */
const PLANTED = FAULTS.filter(({ edit }) => edit !== 'cut')

/** Each fault in each language that may have it. */
export const CASES = PLANTED.flatMap((fault) =>
  (fault.where === 'host' ? HOST_LANGUAGES : SWITCH_LANGUAGES)
    .filter((language) => fault.languages?.includes(language) ?? true)
    .map((language) => ({ fault, language })),
)
const TRIES = 6

/** A fabric with the fault of a case, and perhaps with others; null: none that was drawn has a place for it. */
export function drawn(seed: number): MadeFolder | null {
  const { fault, language } = CASES[seed % CASES.length]!
  const isHost = fault.where === 'host'
  const draw = new Draw(seed, 'typed')
  for (let i = 0; i < TRIES; i++) {
    const folder = makeFolder({
      seed: draw.whole(0, 2 ** 31),
      hosts: draw.whole(2, 6),
      languages: isHost ? SWITCH_LANGUAGES : [language],
      hostLanguages: isHost ? [language] : HOST_LANGUAGES,
      faults: [fault, ...(draw.chance(0.25) ? [draw.one(PLANTED), draw.one(PLANTED)] : [])],
      headroomNeed,
    })
    if (folder.expected.some(({ title }) => title === fault.title)) return folder
  }
  return null
}

const isMistake = ({ severity }: Finding): boolean => severity !== 'note'

export const fabricOfFiles = (folder: Folder): Fabric => fabricOfFolder({ ...folder, expected: [], configs: [] })

export const languageIn = (fabric: Fabric, device: string): string => fabric.devices.get(device)?.config.language ?? ''

export interface Cured {
  readonly finding: Finding
  /** Null: no lines are printed; unsafe: because of a name. */
  readonly lines: readonly Typed[] | null
  readonly isUnsafe: boolean
}

export interface Looked {
  readonly context: RuleContext
  readonly mistakes: readonly Finding[]
  /** Those that follow from no other. */
  readonly cured: readonly Cured[]
}

export function lookedAt(folder: Folder, need: RuleContext['headroomNeed'] = headroomNeed): Looked {
  const context = { fabric: fabricOfFiles(folder), headroomNeed: need }
  const { fabric } = context
  const { findings } = diagnose(context)
  const causes = causesOf(findings, fabric)
  const mistakes = findings.filter(isMistake)
  const cured = mistakes
    .filter((finding) => !causes.has(finding))
    .map((finding): Cured => {
      const cure = cureOf(context, finding)
      const lines = cure === null || 'unsafe' in cure ? null : cure.typed.flat()
      return { finding, lines, isUnsafe: cure !== null && 'unsafe' in cure }
    })
  return { context, mistakes, cured }
}

/** Each finding at each of its places, by what it is about there. */
const spotsOf = (findings: readonly Finding[]): string[] =>
  findings.flatMap((finding) =>
    [finding, ...finding.also].map(({ subject, values }) =>
      [
        finding.id,
        subject.device,
        subject.interface ?? '',
        JSON.stringify(values['priority'] ?? values['dscp'] ?? ''),
      ].join(' '),
    ),
  )

function afterTyping(folder: Folder, each: readonly Typed[], fabric: Fabric): Folder {
  const texts = new Map(folder.files.map(({ file, text }) => [file, text]))
  for (const { device, lines } of each) {
    const start = `${device}/`
    const own = [...texts].flatMap(([file, text]) =>
      file.startsWith(start) ? [[file.slice(start.length), text] as const] : [],
    )
    for (const [file, text] of typed(new Map(own), languageIn(fabric, device), lines)) texts.set(start + file, text)
  }
  return { ...folder, files: [...texts].map(([file, text]) => ({ file, text })) }
}

/** The trouble with the lines of a finding; '': it is gone, and nothing has come. */
export function wrongWith(folder: Folder, { context, mistakes }: Looked, { finding, lines }: Cured): string {
  const printed = lines!.flatMap(({ device, lines: own }) => [`  at ${device}:`, ...own]).join('\n')
  try {
    const fabric = fabricOfFiles(afterTyping(folder, lines!, context.fabric))
    const { findings } = diagnose({ ...context, fabric })
    const [own, before] = [spotsOf([finding]), spotsOf(mistakes)]
    const bad = spotsOf(findings.filter(isMistake)).filter((spot) => own.includes(spot) || !before.includes(spot))
    return bad.length === 0 ? '' : `${finding.id} leaves or brings ${bad.join('; ')}\n${printed}`
  } catch (error) {
    return `${finding.id}: ${String(error)}\n${printed}`
  }
}
