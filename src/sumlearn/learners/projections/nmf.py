class NMF: pass
