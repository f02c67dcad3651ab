/** Fabrics: the scenario of a folder of real files, as an importer makes one of the files of a simulator. */
export { type FabricScenario, fabricScenario } from './fabric.ts'
export { PAGE_KINDS, type PageEntry } from './page.ts'
export { readTraffic, STANDARD_TRAFFIC, type Traffic, trafficText } from './traffic.ts'
