export { readReadings } from './counters.ts'
export { readEdges } from './edges.ts'
export { edgesOf, readingsOf } from './stored.ts'
