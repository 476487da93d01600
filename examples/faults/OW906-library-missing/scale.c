int part(void);
int scale(void) { return part(); }
