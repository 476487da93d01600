int aclnnFaultyScaleGetWorkspaceSize(void) { return 0; }
int aclnnFaultyScale(void) { return 0; }
