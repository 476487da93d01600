int scale_on_device(void);
int scale(void) { return scale_on_device(); }
