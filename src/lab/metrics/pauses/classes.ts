/**
 * Classes: how many traffic classes a port has (IEEE 802.1Q 8.6.8). Observers number the classes of all ports by
 * port * CLASSES + class.
 */
export const CLASSES = 8
