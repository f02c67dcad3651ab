/**
 * doctor --format html: the page, with the style and script of the build.
 */
import path from 'node:path'
import type { ShownDiagnosis } from '../../advice/doctor/diagnosis-text.ts'
import { doctorPage } from '../../advice/doctor/page/doctor-page.ts'
import type { Suppressed } from '../../findings/index.ts'
import { pageAssets } from '../report/page-assets.ts'
import { type CollectedFolder } from './collected-folder.ts'

/** @param folder as the user named it */
export function doctorPageOf(
  shown: ShownDiagnosis,
  suppressed: readonly Suppressed[],
  folder: string,
  collected: CollectedFolder,
): string {
  const name = path.basename(path.resolve(folder))
  return doctorPage({ shown, suppressed, name, textOf: (file) => collected.text(file) }, pageAssets())
}
