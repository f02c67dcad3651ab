/** One drawn folder of files with a planted fault, or with none, and what the doctor says of it. */
import { headroomNeed } from '../../../src/doctor/platforms/headroom-need.ts'
import type { Finding } from '../../../src/core/findings/index.ts'
import {
  causesOf,
  changed,
  type Expected,
  type Fabric,
  diagnose,
  fabricOfFolder,
  type Fault,
  FAULTS,
  HOST_LANGUAGES,
  makeFolder,
  remedyFor,
  SWITCH_LANGUAGES,
} from '../../../src/doctor/index.ts'

/** Rules that find errors in files, with the faults that they are to find. */
export const ERROR_FAULTS: ReadonlyMap<string, readonly Fault[]> = new Map(
  FAULTS.filter(({ isWarning }) => isWarning !== true).map(({ rule }) => [
    rule,
    FAULTS.filter((fault) => fault.rule === rule),
  ]),
)

export interface FileScore {
  readonly seed: number
  readonly rule: string
  readonly title: string
  /** Language of the device with the fault; '': no fabric of those drawn can have it. */
  readonly language: string
  readonly isFound: boolean
  /** Errors and warnings that follow from nothing and have nothing to do with the fault: "error pfc01 leaf1 Ethernet0". */
  readonly wrong: readonly string[]
  readonly right: number
  /** Places of an error that its remedy leaves, and new ones. */
  readonly uncured: readonly string[]
  readonly cured: number
}

const ATTEMPTS = 200

/** A fault of the rule in a drawn fabric. */
export function scoreOfFault(rule: string, seed: number): FileScore {
  const faults = ERROR_FAULTS.get(rule)!
  const fault = faults[seed % faults.length]!
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const drawn = 1000 * seed + attempt
    const made = makeFolder({
      seed: drawn,
      hosts: 2 + (drawn % 7),
      languages: SWITCH_LANGUAGES,
      hostLanguages: HOST_LANGUAGES,
      faults: [fault],
      headroomNeed,
    })
    const [expected] = made.expected
    if (expected === undefined) continue
    const fabric = fabricOfFolder(made)
    const { findings } = diagnose({ fabric, headroomNeed })
    return { seed, rule, title: fault.title, language: expected.language, ...judged(findings, fabric, expected) }
  }
  return { seed, rule, title: fault.title, language: '', isFound: false, wrong: [], right: 0, uncured: [], cured: 0 }
}

const isMistake = ({ severity }: Finding): boolean => severity !== 'note'

function judged(
  findings: readonly Finding[],
  fabric: Fabric,
  { rule, spots, also }: Expected,
): Pick<FileScore, 'isFound' | 'wrong' | 'right' | 'uncured' | 'cured'> {
  const causes = causesOf(findings, fabric)
  const isThere = (finding: Finding): boolean =>
    [finding, ...finding.also].some(({ subject: { device, interface: port = '' } }) =>
      spots.some((spot) => spot.device === device && spot.port === port),
    )
  const first = findings.filter((finding) => isMistake(finding) && !causes.has(finding))
  const isRight = ({ id }: Finding): boolean => id === rule || also.includes(id)
  const isFound = findings.some((finding) => finding.id === rule && isMistake(finding) && isThere(finding))
  const errors = first.filter(({ severity }) => severity === 'error')
  const uncured = errors.flatMap((finding) => leftAfter(finding, findings, fabric))
  return {
    isFound,
    wrong: first.filter((finding) => !isRight(finding)).flatMap(spotTexts),
    right: first.filter(isRight).length,
    uncured,
    cured: errors.length,
  }
}

function leftAfter(finding: Finding, findings: readonly Finding[], fabric: Fabric): string[] {
  const changes = remedyFor({ fabric, headroomNeed }, finding)
  if (changes === null) return [`${finding.id} has no remedy`]
  const after = diagnose({ fabric: changed(fabric, changes), headroomNeed }).findings.filter(isMistake)
  const known = new Set(findings.filter(isMistake).flatMap(namedTexts))
  const gone = new Set(namedTexts(finding))
  return after.flatMap(namedTexts).filter((spot) => gone.has(spot) || !known.has(spot))
}

/** Several names may lead nowhere at one device. */
const namedTexts = (finding: Finding): string[] =>
  spotTexts(finding).map((text) => `${text} ${JSON.stringify(finding.values.name ?? '')}`)

const spotTexts = (finding: Finding): string[] =>
  [finding, ...finding.also].map(({ subject: { device = '', interface: port = '' } }) =>
    `${finding.severity} ${finding.id} ${device} ${port}`.trim(),
  )

/** Errors in a fabric of about 20 devices without a fault, and warnings. */
export function scoreOfClean(seed: number): { readonly seed: number; readonly mistakes: readonly string[] } {
  const made = makeFolder({
    seed,
    hosts: 14,
    languages: SWITCH_LANGUAGES,
    hostLanguages: HOST_LANGUAGES,
    faults: [],
    headroomNeed,
  })
  const { findings } = diagnose({ fabric: fabricOfFolder(made), headroomNeed })
  return { seed, mistakes: findings.filter(isMistake).flatMap(spotTexts) }
}
