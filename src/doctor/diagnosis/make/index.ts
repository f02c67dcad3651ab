/** Make: fabrics drawn from a seed, as files with known mistakes. */
export { drawDesign, type Design, type DesignOptions } from './design.ts'
export { desiredConfigs } from './desired.ts'
export { FAULTS } from './faults/catalogue.ts'
export type { Fault } from './faults/fault.ts'
export { edgesText, expectedText, fabricOfFolder, type MadeFolder, makeFolder, type MakeOptions } from './folder.ts'
export type { Expected } from './plant.ts'
export { HOST_LANGUAGES, SWITCH_LANGUAGES } from './design.ts'
