export { edgesOf, readingsOf } from './stored.ts'
export { readReadings } from './counters.ts'
export { readEdges } from './edges.ts'
export { type CollectedFile, readCollected } from './collected.ts'
