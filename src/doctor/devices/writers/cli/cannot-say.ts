/**
 * Fields that running configurations of NX-OS, EOS and OS10 do not tell, as they are read (dialects/).
 */
const OF_NICS = 'the port of a switch is no NIC'
const OF_BUFFERS = 'buffers are not read'
const OF_CELLS = 'thresholds are in bytes'
const OF_STATE = 'the device shows it, and nobody sets it'
const NOT_READ = 'its words are not read'

const NIC_FIELDS = [
  'rdmaDevice',
  'pciName',
  'isActive',
  'activeMtuBytes',
  'sysfsTclass',
  'cmaTclass',
  'npClasses',
  'rpClasses',
  'cnpDscp',
  'cnpClass',
  'hasOtherControl',
  'toleratesReordering',
  'bufferOfClass',
  'bufferBytes',
  'dcbx',
  'isWilling',
  'hasLldpad',
  'pauseWatchdogPs',
  'gids',
]

export const NO_WORDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(NIC_FIELDS.map((field) => [`nic.${field}`, OF_NICS])),
  fec: NOT_READ,
  autoNegotiates: NOT_READ,
  peerPfcClasses: OF_STATE,
  isPfcAsymmetric: NOT_READ,
  cableM: NOT_READ,
  'classes.pausedQueue': 'a pause stops the queue of its class',
  'classes.isStormed': OF_STATE,
  'classes.classMtuBytes': 'classes have the largest MTU of the ports',
  'classes.hasHeadroom': OF_BUFFERS,
  'classes.alpha': OF_BUFFERS,
  'classes.staticBytes': OF_BUFFERS,
  'classes.reserveBytes': OF_BUFFERS,
  'classes.headroomBytes': OF_BUFFERS,
  'classes.xoffBytes': OF_BUFFERS,
  'classes.xonBytes': OF_BUFFERS,
  'classes.xonOffsetBytes': OF_BUFFERS,
  'classes.profileName': OF_BUFFERS,
  'classes.kminRatio': OF_CELLS,
  'classes.kmaxRatio': OF_CELLS,
  'watchdog.ports': 'ports say it for themselves',
  'pools.poolName': OF_BUFFERS,
  'pools.side': OF_BUFFERS,
  'pools.sizeBytes': OF_BUFFERS,
  'pools.sharedHeadroomBytes': OF_BUFFERS,
  headroomOversubscription: OF_BUFFERS,
  isHeadroomDynamic: OF_BUFFERS,
  headroomTable: OF_BUFFERS,
  arpSeconds: NOT_READ,
  macAgeSeconds: NOT_READ,
  floodsLossless: NOT_READ,
  balance: NOT_READ,
  other: 'settings without a name in the model are of one language',
}
